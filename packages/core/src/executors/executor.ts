import type { LanguageModel, UIMessage } from 'ai';
import type { ApprovalResponse, ClientToolResponse, RunEvent } from '../log/events.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { EditReply, TaskEdit, TaskItem } from '../tasks/task.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import type { WhenStored } from '../tool-calls/run-context.ts';
import type { UnfinishedCall } from '../log/unfinished-step.ts';

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
  /**
   * The run of the turn before, by the id of its `run-start`. A route takes from its own log of that run what became of
   * the author's tasks, and not from `tasks`.
   */
  previousRunId?: string | undefined;
  /**
   * Calls that the last message has left open, of which those that only read are made before the model is asked. They
   * stay in this process: a route makes none, and the model there makes them again.
   */
  unfinishedCalls?: readonly UnfinishedCall[] | undefined;
  /** Starting twice with one key is one run. A `Run` makes one up for each start that has none. */
  key?: string | undefined;
  /**
   * Asked when a tool that may change something is about to run, after its `tool-start`: the tool runs once this resolves.
   * With it, a log that is stored says of every such call that it has begun.
   */
  whenStored?: WhenStored | undefined;
};

/** What can be said to a run that is under way. `agent` is the path of the agent whose tasks are meant. */
export type RunCommand =
  | { type: 'edit'; edit: TaskEdit; agent?: string }
  | { type: 'approval-response'; approvalId: string; response: ApprovalResponse }
  | { type: 'client-tool-response'; clientCallId: string; response: ClientToolResponse }
  /**
   * The page with the id `page` is about to run the call of a client tool. A second page is refused. `instead` is the id
   * of a page that had claimed the call, and is gone.
   */
  | { type: 'client-tool-claim'; clientCallId: string; page: string; instead?: string };

/**
 * Where a run happens: in this page, in a worker, on a server, or nowhere (a replay). Each gives the same events.
 * Aborting `signal` ends the run as `stopped`; the iteration ends after `run-end`. Whoever returns from the iteration
 * before only stops watching.
 */
export type Executor = {
  start<Input>(request: RunRequest<Input>, signal: AbortSignal): AsyncIterable<RunEvent>;
  /**
   * The events after `afterSeq` of a run that was started before, past and to come; undefined where it is not known (any
   * more). Here too aborting `signal` ends the run.
   */
  attach?(runId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<RunEvent> | undefined;
  /** Tells a run something, by the id that its `run-start` gives. What comes of it is in the events. */
  send?(runId: string, command: RunCommand): EditReply | Promise<EditReply>;
  /** True where nothing is run: what is shown happened before. */
  readonly replays?: boolean;
  /** True where `attach` gives the events of a whole log, with what was kept of earlier tries, as it has them. */
  readonly isPlaced?: boolean;
};

/** An executor that runs the prompts of a server by their names: a function that stands in the page cannot go there. */
export type RouteExecutor = Executor & { readonly remote: true };

/** An executor that takes every prompt, those that a component makes of a function or of tasks included. */
export type LocalExecutor = Executor & { readonly remote?: undefined };
