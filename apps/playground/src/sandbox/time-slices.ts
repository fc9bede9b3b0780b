/** How long the page works without a break, in milliseconds. */
const SLICE_MS = 8;

/** Resolves once the page has handled pending input and drawing. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener(
      'message',
      () => {
        port1.close();
        resolve();
      },
      { once: true },
    );
    port1.start();
    port2.postMessage(undefined);
  });
}

/**
 * Keeps long work from blocking the page: after each item, await the returned value. It is undefined while
 * there is time left, so that little work is done at once.
 */
export function createTimeSlices(): () => Promise<void> | undefined {
  let until = performance.now() + SLICE_MS;
  const turn = async (): Promise<void> => {
    await nextTask();
    until = performance.now() + SLICE_MS;
  };
  return () => (performance.now() < until ? undefined : turn());
}
