/** What prompt functions were called with: input, or an agent's arguments. By the prompt that they define on. */
const inputs = new WeakMap<object, unknown[]>();

/** Notes what a prompt function is called with, which may come from a client or a model. */
export function noteInput(prompt: object, ...values: readonly unknown[]): void {
  const earlier = inputs.get(prompt) ?? [];
  inputs.set(prompt, [...earlier, ...values.filter((value) => value !== undefined)]);
}

/** Returns what a prompt function was called with so far. */
export function inputsOf(prompt: object): readonly unknown[] {
  return inputs.get(prompt) ?? [];
}
