/** The longest that other parts of the page wait for the editor, in milliseconds. */
const MAX_WAIT_MS = 3_000;

let endWait: () => void = () => {};
const waitEnded: Promise<void> = new Promise((resolve) => (endWait = resolve));

/** Resolves when the editor has shown a script or has failed to load, or after three seconds. */
export function waitForEditor(): Promise<void> {
  return Promise.race([waitEnded, new Promise<void>((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
}

/**
 * Reports to the parts that wait for the editor that it shows a script or has failed to load. They continue once the
 * page is idle.
 */
export function endWaitForEditor(): void {
  void idle().then(endWait);
}

/** Resolves when the page has nothing else to do, or after a second. */
export function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari does not have this function
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: 1_000 });
    else setTimeout(resolve, 50);
  });
}
