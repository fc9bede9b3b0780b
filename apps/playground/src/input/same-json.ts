/** True if two JSON values are equal. The order of an object's members does not count. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other;
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const members = Object.entries(one);
  return (
    members.length === Object.keys(other).length &&
    members.every(
      ([name, member]) =>
        Object.hasOwn(other, name) && isSameJson(member, (other as Record<string, unknown>)[name]),
    )
  );
}
