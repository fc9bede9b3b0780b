/** The inputs of prompt functions, or an agent's arguments, by the prompt that the functions define on. */
const inputs = new WeakMap<object, unknown[]>();

/** Remembers the input of a prompt function, which may come from a client or a model. */
export function noteInput(prompt: object, ...values: readonly unknown[]): void {
  inputs.set(prompt, [...inputsOf(prompt), ...values.filter((value) => value !== undefined)]);
}

/** Returns the inputs that a prompt function has been called with so far. */
export function inputsOf(prompt: object): readonly unknown[] {
  return inputs.get(prompt) ?? [];
}
