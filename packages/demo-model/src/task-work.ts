import { toWords } from './hints.ts';
import type { ParsedPrompt } from './parse-prompt.ts';
import { nextTools, type PlanContext } from './tool-calls.ts';

const keepsList = /^(start|finish)Task$/;
const listDone =
  /all tasks (are )?(completed|done|finished)|task list is (complete|finished)|no (current|more|open) tasks?/i;

/** True if no task is left, according to the list itself or to its tools' results. */
export function isDone({ window, allOutcomes }: ParsedPrompt): boolean {
  if (window?.allDone === true) return true;
  return allOutcomes.some(
    ({ toolName, value }) => keepsList.test(toolName) && typeof value === 'string' && listDone.test(value),
  );
}

/**
 * The tools to call next for the current task: those that it mentions. If it mentions none, those that no
 * earlier task has used; their calls are hidden, but their results name the tools.
 */
export function toolsForTask(context: PlanContext, tools: PlanContext['tools']): PlanContext['tools'] {
  const { window, task = '' } = context.prompt;
  const before = (window?.done ?? []).map(({ result = '' }) => result).join('\n');
  const words = new Set(toWords(task).split(' ').map(stem));
  const named = tools.filter(({ name }) =>
    toWords(name)
      .split(' ')
      .some((word) => word.length > 3 && words.has(stem(word))),
  );
  const unused = tools.filter(({ name }) => !before.includes(`${name} gave `));
  return nextTools({ ...context, tools: window !== undefined && named.length > 0 ? named : unused });
}

function stem(word: string): string {
  return word.replace(/s$/, '');
}

/** The user's changes of the list, in words, once; empty if there is none, or if it was reported before. */
export function noteEdits({ window, said }: ParsedPrompt): string {
  const fresh = (window?.edits ?? []).filter((edit) => !said.includes(edit));
  return fresh.length === 0 ? '' : `I take note. ${fresh.join(' ')}`;
}
