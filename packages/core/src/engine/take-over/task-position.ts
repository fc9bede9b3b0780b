import type { ModelMessage } from 'ai';
import type { RunEvent } from '../../log/events.ts';
import { countPromptMessages } from '../../log/log-queries.ts';
import { reduceAll } from '../../log/reduce.ts';
import type { RunPast } from '../../log/run-past.ts';
import { toModelMessages } from '../../messages/ui-messages.ts';
import type { PromptBuilder } from '../../prompt/prompt-builder.ts';
import type { TaskListDefinition } from '../../prompt/task-list.ts';
import type { TaskItem } from '../../tasks/task-item.ts';
import { currentTask } from '../../tasks/task-list.ts';
import { applyTaskEvent } from '../../tasks/task.ts';
import { toolsWithModelOutput } from '../../tools/model-output.ts';
import { beginOfTask, type TaskPosition } from '../task-progress.ts';

/**
 * Where a task list stood, the number of the first step of its current task, and the number of messages that the run
 * began with (`initialMessageCount`).
 */
export type PastTasks = TaskPosition & { firstStep: number; initialMessageCount: number };

/** Returns where a list stood when another process left it. The prompt itself begins with `promptMessages`. */
export async function readTaskPosition(
  { events, nudges }: Pick<RunPast, 'events' | 'nudges'>,
  list: TaskListDefinition,
  prompt: PromptBuilder,
  promptMessages: number,
): Promise<PastTasks | undefined> {
  const entry = lastEntry(events, list);
  if (entry === undefined) return undefined;
  const messagesUntil = async (index: number): Promise<ModelMessage[]> => {
    const said = reduceAll(events.slice(0, index)).messages.slice(countPromptMessages(events));
    return toModelMessages(said, toolsWithModelOutput(prompt.definitions.tools));
  };
  const earlier = (await messagesUntil(1)).length;
  const initialMessageCount = promptMessages + earlier;
  const since =
    entry.index === undefined
      ? 0
      : promptMessages + beginOfTask(await messagesUntil(entry.index), list, earlier);
  return { taskId: entry.taskId, since, nudges, firstStep: entry.step, initialMessageCount };
}

/** `index` is that of the first event of the last task; undefined if no task has ever been current. */
type Entry = { taskId: string | undefined; index: number | undefined; step: number };

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
        if (entry !== undefined && entry.taskId === taskId) break;
        // the messages of the last task are still useful if no other is current
        entry = { taskId, index: taskId === undefined ? entry?.index : index, step: event.step };
        break;
      }
      default:
    }
  }
  return entry;
}
