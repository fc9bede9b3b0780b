import { mentionBytes, stringifyJson, toBase64 } from '../json/bytes.ts';
import { redactSecrets } from '../json/redact.ts';

/** Longer files are only mentioned. */
const MAX_BYTES = 256 * 1_024;

/**
 * Returns a copy of `value` as plain JSON, which later changes to the value do not affect. Values that JSON cannot
 * hold become text, bytes become base64, and `secrets` are removed everywhere.
 */
export function toJson(value: unknown, secrets: readonly string[] = []): unknown {
  if (value === undefined || value === null) return null;
  try {
    const text = stringifyJson(value, (bytes) =>
      bytes.length > MAX_BYTES ? mentionBytes(bytes) : toBase64(bytes),
    );
    if (text === undefined) return '[not JSON]';
    // as they are written inside a JSON string
    const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
    return JSON.parse(redactSecrets(text, written)) as unknown;
  } catch {
    return '[not JSON]';
  }
}
