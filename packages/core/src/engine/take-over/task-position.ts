import type { RunEvent } from '../../log/events.ts';
import { reduceAll } from '../../log/reduce.ts';
import type { RunPast } from '../../log/run-past.ts';
import { countPromptMessages } from '../../log/log-queries.ts';
import { toModelMessages } from '../../messages/ui-messages.ts';
import type { TaskListDefinition } from '../../prompt/task-list.ts';
import { applyTaskEvent } from '../../tasks/task.ts';
import { currentTask } from '../../tasks/task-list.ts';
import type { TaskItem } from '../../tasks/task-item.ts';
import { toolsWithModelOutput } from '../../tools/model-output.ts';
import type { Prompt } from '../../prompt/prompt.ts';
import type { TaskPosition } from '../task-progress.ts';

/** Where a task list stood, and the number of the first step of its current task. */
export type PastTasks = TaskPosition & { firstStep: number };

/**
 * Returns where a list stood when another process left it. `opening` is the number of messages that the prompt itself
 * begins with.
 */
export async function readTaskPosition(
  { events, nudges }: Pick<RunPast, 'events' | 'nudges'>,
  list: TaskListDefinition,
  prompt: Prompt,
  opening: number,
): Promise<PastTasks | undefined> {
  const entry = lastEntry(events, list);
  if (entry === undefined) return undefined;
  const { messages } = reduceAll(events.slice(0, entry.index));
  const said = messages.slice(countPromptMessages(events));
  const before = await toModelMessages(said, toolsWithModelOutput(prompt.definitions.tools));
  return { taskId: entry.taskId, since: opening + before.length, nudges, firstStep: entry.step };
}

type Entry = { taskId: string | undefined; index: number; step: number };

/** Returns the step from which on the task of the last step has been current. */
function lastEntry(events: readonly RunEvent[], { list }: TaskListDefinition): Entry | undefined {
  let items: readonly TaskItem[] = [];
  let entry: Entry | undefined;
  for (const [index, event] of events.entries()) {
    if (event.agent !== undefined) continue;
    switch (event.type) {
      case 'task-add':
      case 'task-update':
      case 'task-move':
      case 'task-remove':
        items = applyTaskEvent(items, event);
        break;
      case 'step-start': {
        const taskId = currentTask({ ...list, items: [...items] })?.id;
        if (entry === undefined || entry.taskId !== taskId) entry = { taskId, index, step: event.step };
        break;
      }
      default:
    }
  }
  return entry;
}
