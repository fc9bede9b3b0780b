/** How long the page works at one go before it looks at what else there is to do, in milliseconds. */
const SLICE_MS = 8;

/** Resolves once the page has had a turn for whatever waits: what a person does, and what is to be drawn. */
export function nextTurn(): Promise<void> {
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
 * Keeps work on many things from holding the page up: after each of them, wait for what this returns. It is undefined
 * while there is time left, so that little work is done at once.
 */
export function createSlices(): () => Promise<void> | undefined {
  let until = performance.now() + SLICE_MS;
  const turn = async (): Promise<void> => {
    await nextTurn();
    until = performance.now() + SLICE_MS;
  };
  return () => (performance.now() < until ? undefined : turn());
}
