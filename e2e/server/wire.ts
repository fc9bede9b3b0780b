import type { Delta, ModelCall } from './model.ts';

/** How one of OpenAI's two formats reads a request and writes an answer as Server-Sent Events. */
export type Wire = {
  /** @throws {TypeError} when the body is not a request of this format */
  parse(body: unknown): ModelCall;
  /** A writer for one answer; each method returns the events to send. */
  open(call: ModelCall, id: string): WireWriter;
};

export type WireWriter = {
  start(): string;
  delta(delta: Delta): string;
  end(tokens: { input: number; output: number }): string;
  /** An error object in the middle of the stream. */
  fail(message: string): string;
};

/** One event; `event` is named where the format names its events. */
export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** A fixed time, so that two runs of a test see the same bytes. */
export const created = 1_767_225_600;

/** The text of a message's content, which is a string or a list of parts with a `text` each. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isRecord(part) && typeof part.text === 'string' ? part.text : ''))
    .join('');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The list of objects under a key of the body. */
export function records(body: Record<string, unknown>, key: string): Record<string, unknown>[] {
  const list = body[key] ?? [];
  if (!Array.isArray(list) || !list.every(isRecord))
    throw new TypeError(`"${key}" must be a list of objects`);
  return list;
}

/** The body as a request: an object with a model id that asks for a stream. */
export function requestOf(body: unknown): Record<string, unknown> & { model: string } {
  if (!isRecord(body)) throw new TypeError('The body must be a JSON object');
  const { model } = body;
  if (typeof model !== 'string') throw new TypeError('"model" must be a string');
  if (body.stream !== true) throw new TypeError('This server only streams: send "stream": true');
  return { ...body, model };
}
