/**
 * True if `value` and the JSON `json` are certainly the same data. False for values that JSON holds differently, such
 * as dates and bytes.
 */
export function isSameJson(value: unknown, json: unknown): boolean {
  if (value === json) return typeof value !== 'number' || Number.isFinite(value);
  if (typeof value !== 'object' || typeof json !== 'object' || value === null || json === null) return false;
  if (Array.isArray(value)) {
    return (
      Array.isArray(json) &&
      value.length === json.length &&
      value.every((each, index) => isSameJson(each, json[index]))
    );
  }
  if (Array.isArray(json) || Object.getPrototypeOf(value) !== Object.prototype) return false;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  let members = 0;
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (!Object.hasOwn(json, name) || !isSameJson(member, (json as Record<string, unknown>)[name]))
      return false;
    members += 1;
  }
  return members === Object.keys(json).length;
}
