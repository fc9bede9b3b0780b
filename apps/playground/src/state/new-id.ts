/** A random id. `crypto.randomUUID` exists on https and localhost only. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('');
}
