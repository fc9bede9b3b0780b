/** The longest that other parts of the page wait for the editor, in milliseconds. */
const LONGEST_WAIT_MS = 3_000;

let endWait: () => void = () => {};
const waitEnded: Promise<void> = new Promise((resolve) => (endWait = resolve));

/** Resolves when the editor has shown a script or has failed to load, or after three seconds. */
export function waitForEditor(): Promise<void> {
  return Promise.race([waitEnded, new Promise<void>((resolve) => setTimeout(resolve, LONGEST_WAIT_MS))]);
}

/** Tells the parts that wait for the editor that it shows a script, or that it cannot. */
export function endWaitForEditor(): void {
  endWait();
}
