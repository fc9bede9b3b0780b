import type { ServerResponse } from 'node:http';
import { createRun, definePrompt, inProcess } from '@cueline/core';
import { resolveModel } from '@cueline/core/models';
import { describe, expect, test, vi } from 'vitest';
import { startServer, type SeenRequest } from './chat-server.ts';
import { responsesText } from './provider-answers.ts';

const greet = definePrompt('greet', (prompt) => prompt.$`Hi`);

const send = (response: ServerResponse, ...events: object[]): void => {
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
};

/** Begins an answer of a model that reasons. */
function halfAnswer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const about = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5', output: [] };
  const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'secret' };
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
  send(
    response,
    { type: 'response.created', response: { ...about, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: reasoning },
    { type: 'response.output_item.done', output_index: 0, item: reasoning },
    { type: 'response.output_item.added', output_index: 1, item: message },
    {
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      output_index: 1,
      content_index: 0,
      delta: 'Half an answer',
    },
  );
}

const inputOf = (request: SeenRequest | undefined): unknown => request?.body['input'];
const says = (role: string, content: unknown): object => ({ role, content });
const asks = (text: string): object => says('user', [{ type: 'input_text', text }]);

describe('the turn after an answer of the Responses API that did not end', () => {
  test.each([
    ['was stopped', undefined],
    ['was stopped', false],
    ['was cut off', undefined],
  ])('sends its text and nothing that is not stored, if it %s (store: %o)', async (how, store) => {
    let connection: ServerResponse | undefined;
    await using server = await startServer((response) => {
      if (server.seen.length > 1) return responsesText(response);
      connection = response;
      halfAnswer(response);
    });
    const env = { OPENAI_API_KEY: 'k', OPENAI_API_BASE: server.url };
    const settings = {
      model: await resolveModel('openai:gpt-5', { env }),
      executor: inProcess(),
      options: store === undefined ? {} : { providerOptions: { openai: { store } } },
    };
    const run = createRun(greet, settings);
    const ended = run.start().catch(() => {});
    await vi.waitFor(() => expect(run.getState().text).toBe('Half an answer'), 15_000);
    if (how === 'was stopped') run.stop();
    else connection?.destroy();
    await ended;
    const log = JSON.parse(JSON.stringify(run.log())) as ReturnType<typeof run.log>;
    await createRun(greet, { ...settings, log }).send('And now?');
    expect(inputOf(server.seen[1])).toEqual([
      asks('Hi'),
      says('assistant', 'Half an answer'),
      asks('And now?'),
    ]);
  });
});

describe('a server with the type openai-responses', () => {
  async function play(store?: boolean): Promise<SeenRequest[]> {
    await using server = await startServer(responsesText);
    const env = { LAB_API_BASE: server.url, LAB_API_TYPE: 'openai-responses' };
    const model = await resolveModel('lab:m', { env });
    const options = store === undefined ? {} : { providerOptions: { openai: { store } } };
    const run = createRun(greet, { model, executor: inProcess(), options });
    await run.start();
    await run.send('And now?');
    return server.seen;
  }

  test('is sent earlier turns in full, because it may not store them', async () => {
    const [first, second] = await play();
    expect(first?.body['store']).toBe(false);
    expect(inputOf(second)).toEqual([asks('Hi'), says('assistant', 'Hello'), asks('And now?')]);
  });

  test('is sent ids if the prompt says that it stores answers', async () => {
    const [, second] = await play(true);
    expect(inputOf(second)).toEqual([asks('Hi'), { type: 'item_reference', id: 'msg_1' }, asks('And now?')]);
  });
});
