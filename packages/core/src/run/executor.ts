import type { LanguageModel, UIMessage } from 'ai';
import type { RequestAnswer, RunEvent } from '../log/events.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { EditReply, TaskEdit, TaskItem } from '../tasks/task.ts';
import type { PromptOptions } from './options.ts';

/** What a run is asked to do. */
export type RunRequest<Input = unknown> = {
  definition: PromptDefinition<Input>;
  input: Input;
  /** Model to use instead of the definition's own. */
  model?: string | LanguageModel | undefined;
  options?: PromptOptions | undefined;
  /** Turns that follow the script's own messages: what the model answered before and what the user said since. */
  messages?: readonly UIMessage[] | undefined;
  /** How the tasks of the turn before stood. */
  tasks?: readonly TaskItem[] | undefined;
};

/** What can be said to a run that is under way. `agent` is the path of the agent whose tasks are meant. */
export type RunCommand =
  | { type: 'edit'; edit: TaskEdit; agent?: string }
  | { type: 'respond'; requestId: string; answer: RequestAnswer };

/**
 * Where a run happens: in this page, in a worker, on a server, or nowhere (a replay). Each gives the same events.
 * Aborting `signal` ends the run as `stopped`; the iteration ends after `run-end`.
 */
export type Executor = {
  start<Input>(request: RunRequest<Input>, signal: AbortSignal): AsyncIterable<RunEvent>;
  /** Tells a run something, by the id that its `run-start` gives. What comes of it is in the events. */
  send?(runId: string, command: RunCommand): EditReply | Promise<EditReply>;
};
