/** The length from which a key is removed; anything shorter is a placeholder, and removing it would damage texts. */
const SHORTEST_KEY = 8;

/** Returns a JSON text without these keys; the same text if it contains none of them. */
export function redactKeys(json: string, keys: readonly string[]): string {
  return keys.reduce((text, key) => {
    const written = JSON.stringify(key).slice(1, -1);
    return written.length < SHORTEST_KEY ? text : text.replaceAll(written, '[redacted]');
  }, json);
}
