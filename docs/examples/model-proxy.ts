import { runPrompt } from '@cueline/core';
import { proxied } from '@cueline/core/models';
import { createModelProxy } from '@cueline/edge';

/** Stands for the provider, so that this example needs none. */
async function provider(): Promise<Response> {
  const item = { type: 'message', id: 'm1', role: 'assistant', status: 'completed', content: [] };
  const events = [
    { type: 'response.created', response: { id: 'r1', created_at: 0, model: 'gpt-4o-mini' } },
    { type: 'response.output_item.added', output_index: 0, item },
    {
      type: 'response.output_text.delta',
      item_id: 'm1',
      output_index: 0,
      content_index: 0,
      delta: 'Hello Ada!',
    },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { usage: { input_tokens: 9, output_tokens: 3 } } },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

// #region proxy
const proxy = createModelProxy({
  providers: { openai: { models: ['gpt-4o-mini'], paths: ['/responses'] } },
  origins: ['https://app.example'],
  auth: async (request) =>
    request.headers.get('authorization') === 'Bearer token' ? { subject: 'ada', dailyTokens: 50_000 } : null,
  fetch: provider, // leave it out to ask the network
});
// #endregion

// #region client
const models = proxied('https://app.example/api/models', {
  headers: { authorization: 'Bearer token' },
  // a test answers by itself; leave it out to ask the network
  fetch: (input, init) => proxy(new Request(input, init), { OPENAI_API_KEY: 'sk-server' }),
});
// #endregion
const { result, run } = await runPrompt((prompt) => prompt.$`Greet Ada.`, {
  model: 'openai:gpt-4o-mini',
  ...models,
});
await result.consumeStream();
console.log(run.getState().text);
// prints: Hello Ada!
