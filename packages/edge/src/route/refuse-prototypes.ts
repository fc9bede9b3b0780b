import { HttpError } from '../http/respond.ts';

/**
 * Throws an {@link HttpError} with 400 for a client's value with a field `__proto__` at any depth, because code that
 * copies it field by field would set the prototype of its copy. A model's value may have one, because it only goes
 * back to models.
 */
export function refusePrototypes(value: unknown, name: string): void {
  if (hasPrototype(value))
    throw new HttpError('invalid_body', `${name} has a field __proto__. Leave it out.`);
}

/** Walks without recursion, because a body of a megabyte can be nested half a million levels deep. */
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
