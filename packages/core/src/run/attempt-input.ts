import type { UIMessage } from 'ai';
import type { RunEvent } from '../log/events.ts';
import type { TaskState } from '../log/state.ts';
import type { UnfinishedCall } from '../log/unfinished-step.ts';
import type { RunInternals } from './run-internals.ts';

/** The request of a start to the executor, and the state that the run shows before the first event. */
export type AttemptInput = {
  /** Earlier turns, and the state of the tasks. */
  messages: readonly UIMessage[];
  tasks: readonly TaskState[];
  shows: readonly UIMessage[];
  /** The beginning of the log. */
  events?: readonly RunEvent[];
  /** Calls of the last message that are made before the model is called. */
  unfinishedCalls?: readonly UnfinishedCall[] | undefined;
  signal?: AbortSignal | undefined;
  /** The settings of the caller, who may have waited. Default: the present ones. */
  settings?: RunInternals['settings'] | undefined;
};
