/** One answer: a call of a tool. */
export type WireCall = { name: string; input: unknown };

/** A request as a provider gets it. */
export type WireRequest = { url: string; headers: Record<string, string>; body: Record<string, unknown> };

/**
 * A `fetch` behind which OpenAI, Anthropic and Ollama answer with these calls, one after the other, each in the form of
 * its own API.
 */
export function providersThatCall(calls: readonly WireCall[]): {
  fetch: typeof fetch;
  requests: WireRequest[];
} {
  const requests: WireRequest[] = [];
  return {
    requests,
    fetch: async (input, init) => {
      const url = input as string;
      const call = calls[requests.length];
      requests.push({
        url,
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: JSON.parse(init?.body as string) as Record<string, unknown>,
      });
      if (call === undefined) return new Response('{"error":{"message":"No more."}}', { status: 400 });
      const { pathname } = new URL(url);
      const events = pathname.endsWith('/responses')
        ? responses(call)
        : pathname.endsWith('/messages')
          ? messages(call)
          : completions(call);
      return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
    },
  };
}

const event = (data: { type?: string; [key: string]: unknown }): string =>
  `${data.type === undefined ? '' : `event: ${data.type}\n`}data: ${JSON.stringify(data)}\n\n`;

function completions({ name, input }: WireCall): string {
  const chunk = (delta: object, finish: string | null): string =>
    event({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] });
  const call = { name, arguments: JSON.stringify(input) };
  const id = `call_${name}_${Math.random()}`;
  return [
    chunk({ role: 'assistant', tool_calls: [{ index: 0, id, type: 'function', function: call }] }, null),
    chunk({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ].join('');
}

function responses({ name, input }: WireCall): string {
  const item = { type: 'function_call', id: `fc_${name}`, call_id: `call_${name}_${Math.random()}`, name };
  const text = JSON.stringify(input);
  const response = { id: 'r', created_at: 0, model: 'gpt-4o', output: [] };
  const usage = { input_tokens: 10, output_tokens: 5 };
  return [
    event({ type: 'response.created', response }),
    event({ type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } }),
    event({
      type: 'response.function_call_arguments.delta',
      item_id: item.id,
      output_index: 0,
      delta: text,
    }),
    event({
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...item, arguments: text, status: 'completed' },
    }),
    event({ type: 'response.completed', response: { ...response, usage } }),
  ].join('');
}

function messages({ name, input }: WireCall): string {
  const id = `toolu_${name}_${Math.random()}`.replace('.', '');
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [] };
  return [
    event({
      type: 'message_start',
      message: { ...message, usage: { input_tokens: 10, output_tokens: 1 }, stop_reason: null },
    }),
    event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id, name, input: {} },
    }),
    event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    }),
    event({ type: 'content_block_stop', index: 0 }),
    event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } }),
    event({ type: 'message_stop' }),
  ].join('');
}
