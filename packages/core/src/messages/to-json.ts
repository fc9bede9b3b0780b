import { redactSecrets } from '../json/redact.ts';
import { bytesOf, toBase64 } from './file-data.ts';

/** Longer files are only mentioned. */
const MAX_BYTES = 256 * 1_024;

/**
 * Returns a copy of `value` as plain JSON, which later changes to the value do not affect. Values that JSON cannot
 * hold become text, bytes become base64, and `secrets` are removed everywhere.
 */
export function toJson(value: unknown, secrets: readonly string[] = []): unknown {
  if (value === undefined || value === null) return null;
  try {
    const text = JSON.stringify(value, function (this: Record<string, unknown>, key, child: unknown) {
      // some buffers have a toJSON, and are lists of numbers by now
      const bytes = bytesOf(this[key]);
      if (bytes !== undefined) return bytes.length > MAX_BYTES ? `[${bytes.length} bytes]` : toBase64(bytes);
      return typeof child === 'bigint' ? String(child) : child;
    });
    // as they are written inside a JSON string
    const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
    return JSON.parse(redactSecrets(text, written)) as unknown;
  } catch {
    return '[not JSON]';
  }
}
