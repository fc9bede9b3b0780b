import { getToolName, isToolUIPart, type UIMessage } from 'ai';
import { toModelMessages } from '../../messages/ui-messages.ts';
import type { PromptBuilder } from '../../prompt/prompt-builder.ts';
import type { TaskItem } from '../../tasks/task-item.ts';
import { findCurrentTask } from '../../tasks/task-status.ts';
import { toolsWithModelOutput } from '../../tools/model-output.ts';
import type { TaskPosition } from '../task-progress.ts';

/** The position of a continued task, and the number of messages before the message about the list. */
export type ContinuedTask = TaskPosition & { initialMessageCount: number };

/**
 * Returns where the current task stood if the last of `turns` is an unfinished answer that was working on it. Its steps
 * since the last call of finishTask follow the message about the list, as they did when they were made: otherwise the
 * model would read the task after its work on it, and begin anew.
 */
export async function readContinuedTask(
  { definitions }: PromptBuilder,
  {
    turns,
    tasks,
    promptMessages,
  }: { turns: readonly UIMessage[]; tasks: readonly TaskItem[]; promptMessages: number },
): Promise<ContinuedTask | undefined> {
  const { taskList } = definitions;
  const last = turns.at(-1);
  const current = taskList?.current;
  if (taskList === undefined || current === undefined || last?.role !== 'assistant') return undefined;
  const worked = findCurrentTask(tasks);
  if (worked?.id !== current.id || worked.status === 'pending') return undefined;
  // in a list that the model writes, no task is current after a cut
  const isFinish = (part: UIMessage['parts'][number]): boolean =>
    isToolUIPart(part) && getToolName(part) === 'finishTask';
  const changed = last.parts.findLastIndex(isFinish);
  const step = last.parts.findIndex(({ type }, index) => index > changed && type === 'step-start');
  const lastStep = last.parts.findLastIndex(({ type }) => type === 'step-start');
  // a step that has finished several tasks may have worked on another one
  if (step < 0 && last.parts.slice(lastStep).filter(isFinish).length > 1) return undefined;
  const before = step < 0 ? turns : [...turns.slice(0, -1), { ...last, parts: last.parts.slice(0, step) }];
  const said = await toModelMessages(before, toolsWithModelOutput(definitions.tools));
  const initialMessageCount = promptMessages + said.length;
  return { taskId: current.id, since: initialMessageCount, nudges: 0, initialMessageCount };
}
