const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a random id such as `run-a81…`: the prefix, and sixteen letters and digits. */
export function createId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // the last few of the 256 values repeat, which does not matter for ids that need not be secret
  return `${prefix}-${Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('')}`;
}
