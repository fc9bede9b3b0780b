import { Agent, request } from 'node:http';
import { type ModelId, paces, word } from './provider-answers.ts';

const agent = new Agent({ keepAlive: true });
let asked = 0;

/** The outcome of an answer. */
export type Answered = { ttfbMs: number; bytes: number };

/** An answer in progress. `begun` resolves with its first byte, `ended` with its last. */
export type Open = { begun: Promise<void>; ended: Promise<Answered>; close(): void };

/** Requests an answer and reads it to its end. Rejects if words are missing. */
export function ask(url: string, model: ModelId): Promise<Answered> {
  return open(url, model).ended;
}

/** Does the same, for an answer that can be closed early. */
export function open(url: string, model: ModelId): Open {
  const begun = settlable<void>();
  const ended = settlable<Answered>();
  // a caller may wait for only one of them
  for (const { promise } of [begun, ended]) promise.catch(() => {});
  const body = JSON.stringify({
    model,
    messages: [{ role: 'user', content: 'Say something.' }],
    stream: true,
    stream_options: { include_usage: true },
  });
  const at = performance.now();
  let ttfbMs: number | undefined;
  let words = 0;
  let bytes = 0;
  let tail = '';
  const sent = request(`${url}/chat/completions`, {
    method: 'POST',
    agent,
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      origin: 'https://play.example',
      // enough connections for the callers of a busy server
      authorization: `Bearer ${asked++ % 100}`,
    },
  });
  sent.on('response', (response) => {
    response.on('data', (part: Buffer) => {
      if (ttfbMs === undefined) {
        ttfbMs = performance.now() - at;
        begun.resolve();
      }
      bytes += part.length;
      const text = tail + part.toString('latin1');
      const found = text.split(word);
      words += found.length - 1;
      // a word that is cut between two chunks
      tail = found.at(-1)!.slice(1 - word.length);
    });
    response.on('end', () => {
      if (words === paces[model].events && tail.endsWith('[DONE]\n\n'))
        ended.resolve({ ttfbMs: ttfbMs!, bytes });
      else fail(new Error(`The stream delivered ${words} words of ${paces[model].events}, and ${tail}`));
    });
    response.on('error', fail);
  });
  sent.on('error', fail);
  sent.end(body);
  return {
    begun: begun.promise,
    ended: ended.promise,
    close: () => void sent.destroy(),
  };

  function fail(error: unknown): void {
    begun.reject(error);
    ended.reject(error);
  }
}

type Settlable<Value> = {
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (reason: unknown) => void;
};

function settlable<Value>(): Settlable<Value> {
  let settle: Omit<Settlable<Value>, 'promise'>;
  const promise = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle! };
}

/** Closes the connections that are kept alive. */
export function hangUp(): void {
  agent.destroy();
}
