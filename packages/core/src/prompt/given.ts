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
