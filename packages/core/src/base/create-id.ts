/** Returns a random id such as `run-a81…`: the prefix, and sixteen letters and digits. */
export function createId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // the first four of the 36 digits come a little more often, which does not matter for ids that need not be secret
  return `${prefix}-${Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')}`;
}
