import type { UIMessage } from 'ai';
import type { RunEvent } from '../log/events.ts';
import type { TaskState } from '../log/state.ts';
import type { UnfinishedCall } from '../log/unfinished-step.ts';

/** What a start gives to the executor, and shows before the first event. */
export type AttemptInput = {
  /** Earlier turns, and how the tasks stood. */
  messages: readonly UIMessage[];
  tasks: readonly TaskState[];
  shows: readonly UIMessage[];
  /** What the log begins with. */
  events?: readonly RunEvent[];
  /** Calls of the last message that are made before the model is asked. */
  unfinishedCalls?: readonly UnfinishedCall[] | undefined;
  signal?: AbortSignal | undefined;
};
