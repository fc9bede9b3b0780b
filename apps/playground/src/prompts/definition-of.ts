import type { PromptDefinition, RunEvent } from '@cueline/core';
import { libraryOf } from './check-prompts.ts';
import type { EditablePrompt } from './editable-prompt.ts';
import { readOwnShared } from './stored-prompts.ts';

type LibraryInput = Readonly<Record<string, string | number | boolean>>;

/**
 * Returns the prompt that a log is a run of, from the prompts of a session; undefined if they cannot be read, or do not
 * have the version that ran. Those of a link are checked when it is opened, and those of a stored run have any length.
 */
export function definitionOf(
  prompts: unknown,
  log: readonly RunEvent[],
): PromptDefinition<LibraryInput> | undefined {
  const prompt = promptOf(prompts, log);
  const known = prompt === undefined ? undefined : libraryOf(prompt);
  const definition = known?.library.definePrompt(`${known.prompt.id}@${known.prompt.version}`);
  const ran = ranIn(log);
  return ran === undefined || definition?.library?.hash === ran.hash ? definition : undefined;
}

/** Returns the version that a log is a run of, as the form edits it. Its texts may have changed since. */
export function promptOf(prompts: unknown, log: readonly RunEvent[]): EditablePrompt | undefined {
  const shared = readOwnShared(prompts);
  const ran = ranIn(log);
  return ran === undefined
    ? shared?.prompts[shared.selected]
    : shared?.prompts.find(({ id, version }) => id === ran.id && version === ran.version);
}

function ranIn([first]: readonly RunEvent[]) {
  return first?.type === 'run-start' ? first.library : undefined;
}
