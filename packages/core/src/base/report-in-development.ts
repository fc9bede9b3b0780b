declare const process: { readonly env: { readonly NODE_ENV?: string } };
declare const console: { error(value: unknown): void; info(text: string): void };

/**
 * Logs an error with its stack and cause to the console during development, because the log and the model get only
 * the message. Silent if `NODE_ENV` is `production` or `test`, and in pages without a bundler. An unset `NODE_ENV`
 * counts as development, because servers in production set it.
 */
export function reportInDevelopment(error: unknown): void {
  if (isDevelopment()) console.error(error);
}

/** Warns the developer of an app in its page's console. Silent in the same cases. */
export function warnInDevelopment(text: string): void {
  if ('document' in globalThis && isDevelopment()) console.info(text);
}

function isDevelopment(): boolean {
  try {
    // written out, because bundlers replace exactly these words
    const mode = process.env.NODE_ENV;
    return mode !== 'production' && mode !== 'test';
  } catch {
    return false;
  }
}
