declare const process: { readonly env: { readonly NODE_ENV?: string } };
declare const console: { error(value: unknown): void; info(text: string): void };

/**
 * Shows an error with its stack and cause on the console while an app is being developed: its log and the model get the
 * message alone. Silent where `NODE_ENV` is `production` or `test`, and in pages that no bundler has built. An unset `NODE_ENV`
 * counts as development: a server in production sets it to `production`.
 */
export function reportInDevelopment(error: unknown): void {
  if (isDevelopment()) console.error(error);
}

/** Says something about an app to who develops it, on the console of its page. Silent elsewhere, and as above. */
export function warnInDevelopment(text: string): void {
  if ('document' in globalThis && isDevelopment()) console.info(text);
}

function isDevelopment(): boolean {
  try {
    // written out, since bundlers replace these words with the value
    const mode = process.env.NODE_ENV;
    return mode !== 'production' && mode !== 'test';
  } catch {
    return false;
  }
}
