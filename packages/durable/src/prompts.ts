import { CuelineError, definePrompt, isPromptDefinition, type PromptDefinition } from '@cueline/core';
import { checkAdvanceable } from '@cueline/core/durable';

// prompts have different types of input
// oxlint-disable-next-line typescript/no-explicit-any
type AnyPrompt = PromptDefinition<any>;

/** Prompts by their names. */
export type Prompts = ReadonlyMap<string, AnyPrompt>;

/** @throws CuelineError `invalid_options` if a prompt has no name, if two have the same name, and for a remotePrompt */
export function promptsByName(given: readonly AnyPrompt[]): Prompts {
  const prompts = new Map<string, AnyPrompt>();
  if (!Array.isArray(given)) {
    throw new CuelineError(
      'invalid_options',
      'createDurable takes its prompts as a list. Write { prompts: [planDay, …] }.',
    );
  }
  for (const prompt of given) {
    if (!isPromptDefinition(prompt)) {
      throw new CuelineError(
        'invalid_options',
        "One of createDurable's prompts is not what definePrompt, defineSession or defineAgent returned. Write { prompts: [definePrompt('planDay', …)] }.",
      );
    }
    if (prompt.name === '' || prompts.has(prompt.name)) {
      const what = prompt.name === '' ? 'A prompt has no name' : `Two prompts are named "${prompt.name}"`;
      throw new CuelineError(
        'invalid_options',
        `${what}. A stored run finds its prompt by its name, so each prompt needs a unique one: definePrompt('planDay', …).`,
      );
    }
    checkAdvanceable(prompt);
    prompts.set(prompt.name, prompt);
  }
  return prompts;
}

/** Returns the error of a start whose prompt is not in `createDurable({ prompts })`. */
export function unlistedPromptError(name: string, prompts: Prompts): CuelineError {
  return new CuelineError(
    'invalid_options',
    `Prompt "${name}" is not listed in createDurable. Listed prompts: ${[...prompts.keys()].join(', ') || 'none'}. Add it: createDurable({ prompts: [${name}, …], … }).`,
  );
}

/** Returns the error of a start with a model object. */
export function modelObjectError(): CuelineError {
  return new CuelineError(
    'invalid_options',
    "This start passes a model object, which another worker could not create again. Pass a name, { model: 'openai:gpt-4o' }, or set the model in the prompt's definition.",
  );
}

/** Returns the error of a start with options that the store does not keep. */
export function unstoredOptionsError(names: readonly string[]): CuelineError {
  return new CuelineError(
    'invalid_options',
    `This start passes options that are not stored, and another worker would not have them: ${names.join(', ')}. A start stores only its limits. Set all others for every run: createDurable({ options: { ${names.join(', ')} }, … }).`,
    { details: { options: names } },
  );
}

/** Returns a definition that ends its run with an error, in place of a prompt that a deployment has removed. */
export function missingPrompt(name: string): PromptDefinition<unknown> {
  return definePrompt(
    name,
    () => {
      throw new CuelineError(
        'invalid_definition',
        `Prompt "${name}" no longer exists, so its run has ended. Add the prompt to createDurable({ prompts }) and start the run again.`,
      );
    },
    // never called
    { model: 'simulated:demo' },
  ) as PromptDefinition<unknown>;
}
