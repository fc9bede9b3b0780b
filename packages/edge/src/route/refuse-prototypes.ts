import { Refusal } from '../http/respond.ts';

/**
 * Throws a {@link Refusal} with 400 for a value from a client that has a field `__proto__`, however deep: code that copies
 * it field by field would set what its copy is made of. What a model has said may have one, and goes back to models alone.
 */
export function refusePrototypes(value: unknown, name: string): void {
  if (hasPrototype(value)) throw new Refusal('invalid_body', `${name} has a field __proto__.`);
}

/** Without recursion: a body of a megabyte can be nested half a million deep. */
function hasPrototype(whole: unknown): boolean {
  const open: unknown[] = [whole];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__')) return true;
    for (const item of Object.values(value)) open.push(item);
  }
  return false;
}
