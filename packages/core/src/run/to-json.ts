/** Literal keys shorter than this are stand-ins ("none", "ollama"), and would blot out ordinary words. */
const SHORTEST_SECRET = 8;

/**
 * A copy of `value` as plain JSON, which later changes to the value do not reach. What JSON cannot say becomes text,
 * and `secrets` are left out wherever they stand.
 */
export function toJson(value: unknown, secrets: readonly string[] = []): unknown {
  if (value === undefined || value === null) return null;
  try {
    let text = JSON.stringify(value, (_key, child: unknown) =>
      typeof child === 'bigint' ? String(child) : child,
    );
    for (const secret of secrets) {
      if (secret.length >= SHORTEST_SECRET)
        text = text.replaceAll(JSON.stringify(secret).slice(1, -1), '[redacted]');
    }
    return JSON.parse(text) as unknown;
  } catch {
    return '[not JSON]';
  }
}
