import { Refusal } from '../respond.ts';

/**
 * Throws a {@link Refusal} with 400 for a value from a client that has a field `__proto__`, however deep: code that copies
 * it field by field would set what its copy is made of. What a model has said may have one, and goes back to models alone.
 */
export function refusePrototypes(value: unknown, name: string): void {
  if (hasPrototype(value)) throw new Refusal('invalid_body', `${name} has a field __proto__.`);
}

function hasPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototype);
}
