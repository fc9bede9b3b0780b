/** What the functions of prompts were given: input, or an agent's arguments. By the prompt that they define on. */
const inputs = new WeakMap<object, unknown[]>();

/** Remembers what a prompt's function is given, which may come from a client or a model. */
export function noteInput(prompt: object, ...given: readonly unknown[]): void {
  const known = inputs.get(prompt) ?? [];
  inputs.set(prompt, [...known, ...given.filter((value) => value !== undefined)]);
}

/** What a prompt's function was given so far. */
export function inputsOf(prompt: object): readonly unknown[] {
  return inputs.get(prompt) ?? [];
}

/** Every list and plain object that these values are or hold. */
export function objectsIn(values: readonly unknown[]): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const left = [...values];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null || found.has(value)) continue;
    const isPlain = Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]';
    if (!isPlain) continue;
    found.add(value);
    for (const entry of Object.values(value)) left.push(entry);
  }
  return found;
}
