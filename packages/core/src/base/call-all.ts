declare const console: { error(value: unknown): void };

/** What a page has. */
type Page = { document?: object; reportError?: (error: unknown) => void };

/**
 * Calls every listener. What one throws, or rejects with, does not affect the run: the error handlers of a page get
 * it, and elsewhere it is only written to the console, because an uncaught error would end a server's process.
 */
export function callAll<Value>(listeners: Iterable<(value: Value) => unknown>, value: Value): void {
  for (const listener of listeners) {
    try {
      // an asynchronous one returns a promise
      (listener(value) as Promise<unknown> | undefined)?.catch?.(report);
    } catch (error) {
      report(error);
    }
  }
}

function report(error: unknown): void {
  const { document, reportError } = globalThis as Page;
  ((document && reportError) || console.error)(error);
}
