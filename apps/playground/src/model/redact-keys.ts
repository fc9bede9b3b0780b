/** The length from which a key is removed; anything shorter is a placeholder, and removing it would damage texts. */
const MIN_KEY_LENGTH = 8;

/** Returns a JSON text without these keys; the same text if it contains none of them. */
export function redactKeys(json: string, keys: readonly string[]): string {
  return keys.reduce((text, key) => {
    const written = JSON.stringify(key).slice(1, -1);
    return written.length < MIN_KEY_LENGTH ? text : text.replaceAll(written, '[redacted]');
  }, json);
}
