/** A copy of `value` as plain JSON, which later changes to the value do not reach. What JSON cannot say becomes text. */
export function toJson(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  try {
    return JSON.parse(
      JSON.stringify(value, (_key, child: unknown) => (typeof child === 'bigint' ? String(child) : child)) ??
        'null',
    ) as unknown;
  } catch {
    return '[not JSON]';
  }
}
