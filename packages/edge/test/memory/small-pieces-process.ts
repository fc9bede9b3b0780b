// A process that is sent bytes one by one, and has to keep them because more of them follow: the body of a request,
// and an event of a provider. Tells its parent how much memory each took, in MB.
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { createModelProxy } from '@cueline/edge';

/** What the bytes took, by what they were. */
export type SmallPieces = { body: number; event: number };

/** Fewer than the proxy takes of either. */
const COUNT = 300_000;

/** Sends `first`, and then single bytes that never end. Calls `onSent` once they wait to be read. */
function pieces(first: string, onSent: () => void): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = 0;
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(first)),
    pull(controller) {
      sent += 1;
      if (sent <= COUNT) return controller.enqueue(new Uint8Array([32]));
      onSent();
      return new Promise(() => {});
    },
  });
}

function used(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

/** Returns how much more is in use once `send` has called back. */
async function taken(send: (onSent: () => void) => unknown): Promise<number> {
  const before = used();
  await new Promise<void>((resolve) => send(resolve));
  await setTimeout(10);
  return used() - before;
}

let onSent = (): void => {};
const proxy = createModelProxy({
  providers: { openai: { models: ['m'], apiKey: 'sk-none-of-any-account' } },
  origins: [],
  auth: () => ({ subject: 'ada' }),
  fetch: async () =>
    new Response(pieces('data: ', onSent), { headers: { 'content-type': 'text/event-stream' } }),
});
const ask = (body: string | ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Response> =>
  proxy(
    new Request('https://example.test/api/models/openai/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    }),
  );

const body = await taken((sent) => ask(pieces('{', sent)));
const answers: Promise<unknown>[] = [];
const event = await taken((sent) => {
  onSent = sent;
  const call = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi.' }] };
  answers.push(ask(JSON.stringify(call)).then((response) => response.text()));
});
process.send?.({ body, event } satisfies SmallPieces, () => process.exit());
