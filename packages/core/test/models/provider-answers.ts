import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';

// “Hello” in two parts, with 5 tokens in and 7 out, as each provider's API streams it.

export function sendEvents(response: ServerResponse, events: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** Chat Completions, as the provider puts its usage into the last event. */
export function chatText(usageOf: (usage: object) => object): (response: ServerResponse) => void {
  const usage = usageOf({ prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 });
  const event = (delta: object, more: object = {}): object => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: 'finish_reason' in more ? more.finish_reason : null }],
    ...('finish_reason' in more ? usage : {}),
  });
  return (response) =>
    sendEvents(response, [
      event({ role: 'assistant', content: 'Hel' }),
      event({ role: 'assistant', content: 'lo' }),
      event({ role: 'assistant', content: '' }, { finish_reason: 'stop' }),
    ]);
}

export function responsesText(response: ServerResponse): void {
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] };
  const about = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] };
  const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12 };
  const delta = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0 };
  sendEvents(response, [
    { type: 'response.created', response: { ...about, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
    { ...delta, delta: 'Hel' },
    { ...delta, delta: 'lo' },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...about, status: 'completed', usage } },
  ]);
}

export function anthropicText(response: ServerResponse): void {
  const delta = (text: string): object => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  });
  sendEvents(response, [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 5, output_tokens: 0 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    delta('Hel'),
    delta('lo'),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ]);
}

export function geminiText(response: ServerResponse): void {
  const chunk = (text: string, more: object = {}): object => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
  });
  sendEvents(response, [chunk('Hel'), chunk('lo', { finishReason: 'STOP' })]);
}

export function cohereText(response: ServerResponse): void {
  const delta = (text: string): object => ({
    type: 'content-delta',
    index: 0,
    delta: { message: { content: { text } } },
  });
  sendEvents(response, [
    { type: 'message-start', id: 'm', delta: { message: { role: 'assistant', content: [] } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    delta('Hel'),
    delta('lo'),
    { type: 'content-end', index: 0 },
    {
      type: 'message-end',
      delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 5, output_tokens: 7 } } },
    },
  ]);
}

/** The parts of a model's answer as the AI SDK has them, which is what the gateway sends. */
export function gatewayText(response: ServerResponse): void {
  sendEvents(response, [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hel' },
    { type: 'text-delta', id: 't', delta: 'lo' },
    { type: 'text-end', id: 't' },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 5 }, outputTokens: { total: 7 } },
    },
  ]);
}

/** A message of AWS's event stream: lengths, headers, payload, each with its checksum. */
function eventStreamMessage(type: string, payload: object): Buffer {
  const header = (name: string, value: string): Buffer => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(value.length);
    return Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7]),
      length,
      Buffer.from(value),
    ]);
  };
  const headers = Buffer.concat([header(':message-type', 'event'), header(':event-type', type)]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body, Buffer.alloc(4)]);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

export function bedrockText(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  response.write(eventStreamMessage('messageStart', { role: 'assistant' }));
  for (const text of ['Hel', 'lo']) {
    response.write(eventStreamMessage('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }));
  }
  response.write(eventStreamMessage('contentBlockStop', { contentBlockIndex: 0 }));
  response.write(eventStreamMessage('messageStop', { stopReason: 'end_turn' }));
  const usage = { inputTokens: 5, outputTokens: 7, totalTokens: 12 };
  response.end(eventStreamMessage('metadata', { usage, metrics: { latencyMs: 1 } }));
}
