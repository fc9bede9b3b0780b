import type { PromptDefinition, RunEvent } from '@cueline/core';
import { libraryOf } from './check-prompts.ts';
import { readShared } from './stored-prompts.ts';

type LibraryInput = Readonly<Record<string, string | number | boolean>>;

/**
 * Returns the prompt that a log is a run of, from these shared prompts; undefined if they cannot be read, or do not have
 * the version that ran.
 */
export function definitionOf(
  prompts: unknown,
  [first]: readonly RunEvent[],
): PromptDefinition<LibraryInput> | undefined {
  const shared = readShared(prompts);
  if (shared === undefined) return undefined;
  const ran = first?.type === 'run-start' ? first.library : undefined;
  const prompt =
    ran === undefined
      ? shared.prompts[shared.selected]
      : shared.prompts.find(({ id, version }) => id === ran.id && version === ran.version);
  const known = prompt === undefined ? undefined : libraryOf(prompt);
  const definition = known?.library.definePrompt(`${known.prompt.id}@${known.prompt.version}`);
  return ran === undefined || definition?.library?.hash === ran.hash ? definition : undefined;
}
