/** A provider's output: events as JSON, or raw text. */
export type Wire = readonly (object | string)[];

/** A response that streams `wire` as server-sent events, cut into chunks at the given byte offsets. */
export function createServerSideEvents(wire: Wire, cuts: readonly number[]): Response {
  const text = wire
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('');
  const bytes = new TextEncoder().encode(text);
  const offsets = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const [index, from] of offsets.slice(0, -1).entries())
        controller.enqueue(bytes.slice(from, offsets[index + 1]));
      controller.close();
    },
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}
