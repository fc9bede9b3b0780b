import { CuelineError, definePrompt, type PromptDefinition } from '@cueline/core';
import { checkAdvanceable } from '@cueline/core/durable';

// a definition of any input
// oxlint-disable-next-line typescript/no-explicit-any
type AnyPrompt = PromptDefinition<any>;

/** Prompts by their names. */
export type Prompts = ReadonlyMap<string, AnyPrompt>;

/** @throws CuelineError `invalid_options` for prompts without a name or with the same one, and for a remotePrompt */
export function promptsByName(given: readonly AnyPrompt[]): Prompts {
  const prompts = new Map<string, AnyPrompt>();
  for (const prompt of given) {
    if (prompt.name === '' || prompts.has(prompt.name)) {
      const what = prompt.name === '' ? 'A prompt has no name' : `Two prompts are named "${prompt.name}"`;
      throw new CuelineError(
        'invalid_options',
        `${what}, and a stored run knows its prompt by name. Write definePrompt('planDay', …), each with a name of its own.`,
      );
    }
    checkAdvanceable(prompt);
    prompts.set(prompt.name, prompt);
  }
  return prompts;
}

/** Returns the error of a start of a prompt that may not run. */
export function unknownPrompt(name: string, prompts: Prompts): CuelineError {
  return new CuelineError(
    'invalid_options',
    `Prompt "${name}" is not among those that may run here: ${[...prompts.keys()].join(', ')}. Add it: createDurable({ prompts: [${name}, …], … }).`,
  );
}

/** Returns the error of a start with a model object. */
export function namelessModel(): CuelineError {
  return new CuelineError(
    'invalid_options',
    "The model of this start is an object, and another worker could not create it again. Name it, { model: 'openai:gpt-4o' }, or set it in the prompt's definition.",
  );
}

/** Returns a definition that ends its run, because a deployment has removed the prompt. */
export function missingPrompt(name: string): PromptDefinition<unknown> {
  return definePrompt(
    name,
    () => {
      throw new CuelineError(
        'invalid_definition',
        `Prompt "${name}" does not exist any more, so its run cannot continue. Add it to createDurable({ prompts }).`,
      );
    },
    // never called
    { model: 'simulated:demo' },
  ) as PromptDefinition<unknown>;
}
