import { hideSecrets } from '../models/redact.ts';

/**
 * A copy of `value` as plain JSON, which later changes to the value do not reach. What JSON cannot say becomes text,
 * and `secrets` are left out wherever they stand.
 */
export function toJson(value: unknown, secrets: readonly string[] = []): unknown {
  if (value === undefined || value === null) return null;
  try {
    const text = JSON.stringify(value, function (this: Record<string, unknown>, key, child: unknown) {
      const original = this[key];
      if (ArrayBuffer.isView(original)) return `[${original.byteLength} bytes]`;
      return typeof child === 'bigint' ? String(child) : child;
    });
    // as they are written inside a JSON string
    const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
    return JSON.parse(hideSecrets(text, written)) as unknown;
  } catch {
    return '[not JSON]';
  }
}
