/** A comment this often keeps proxies from closing a connection on which nothing happens. */
const HEARTBEAT_MS = 15_000;

/**
 * Chunks as the AI SDK's clients read them: Server-Sent Events, and `[DONE]` at the end. `onLeave` is called once
 * nobody reads any more.
 */
export function toChunkStream(
  chunks: ReadableStream<unknown>,
  onLeave: () => void,
): ReadableStream<Uint8Array> {
  const reader = chunks.getReader();
  const encoder = new TextEncoder();
  const comment = encoder.encode(':\n\n');
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  const leave = (): void => {
    clearInterval(heartbeat);
    onLeave();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // some servers hold the headers back until there is something to send
      controller.enqueue(comment);
    },
    async pull(controller) {
      heartbeat ??= setInterval(() => {
        // of comments that nobody takes, one is enough
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(comment);
      }, HEARTBEAT_MS);
      try {
        const { done, value } = await reader.read();
        controller.enqueue(encoder.encode(`data: ${done ? '[DONE]' : JSON.stringify(value)}\n\n`));
        if (!done) return;
        leave();
        controller.close();
      } catch (error) {
        leave();
        throw error;
      }
    },
    cancel(reason) {
      reader.cancel(reason).catch(() => {});
      leave();
    },
  });
}
