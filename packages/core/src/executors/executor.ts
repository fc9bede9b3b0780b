import type { LanguageModel, UIMessage } from 'ai';
import type { RunEvent } from '../log/events.ts';
import type { RunCommand } from '../log/run-handle.ts';
import type { UnfinishedCall } from '../log/unfinished-step.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import type { EditReply, TaskItem } from '../tasks/task-item.ts';
import type { WhenStored } from '../tool-calls/run-context.ts';

/** A request to start a run. */
export type RunRequest<Input = unknown> = {
  definition: PromptDefinition<Input>;
  input: Input;
  /** Model to use instead of the definition's own. */
  model?: string | LanguageModel | undefined;
  options?: PromptOptions | undefined;
  /** Turns that follow the prompt's own messages: the model's answers and the user's messages since. */
  messages?: readonly UIMessage[] | undefined;
  /** The tasks at the end of the turn before. */
  tasks?: readonly TaskItem[] | undefined;
  /**
   * The id of the run of the turn before, from its `run-start`. A route reads the state of the author's tasks from
   * its own log of that run, and not from `tasks`.
   */
  previousRunId?: string | undefined;
  /**
   * Calls that the last message leaves open. Those that may be made twice are made before the model is called, and
   * agents continue. They stay in this process: a route makes none of them, and the model there makes them again.
   */
  unfinishedCalls?: readonly UnfinishedCall[] | undefined;
  /** Starting twice with the same key starts one run. A `Run` creates a key for each start that has none. */
  key?: string | undefined;
  /**
   * Called before a tool that may change something runs, after its `tool-start`. The tool runs once this resolves.
   * With it, a stored log contains the `tool-start` of every call that has begun.
   */
  whenStored?: WhenStored | undefined;
};

/**
 * Where a run happens: in this page, in a worker, on a server, or nowhere (a replay). Each emits the same events.
 * Aborting `signal` ends the run as `stopped`; the iteration ends after `run-end`. Returning from the iteration
 * earlier only stops watching.
 */
export type Executor = {
  start<Input>(request: RunRequest<Input>, signal: AbortSignal): AsyncIterable<RunEvent>;
  /**
   * Returns the events after `afterSeq` of a run that was started before, past and future, or undefined if the run is
   * not known (any more). Aborting `signal` ends the run.
   */
  attach?(runId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<RunEvent> | undefined;
  /** Sends a command to a run, by the id in its `run-start`. Its effect is in the events. */
  send?(runId: string, command: RunCommand): EditReply | Promise<EditReply>;
  /** True if the executor passes `unfinishedCalls` on to where the run happens, so that agents continue there. */
  readonly continuesAgents?: boolean;
  /** True for a replay: nothing runs, because the events happened before. */
  readonly replays?: boolean;
  /** True if `attach` returns the events of a whole log, with the kept events of earlier attempts in their places. */
  readonly isPlaced?: boolean;
};

/** An executor that runs a server's prompts by their names. It cannot run a function of the page. */
export type RouteExecutor = Executor & { readonly remote: true };

/** An executor that runs every prompt, also one that a component makes of a function or of tasks. */
export type LocalExecutor = Executor & { readonly remote?: undefined };
