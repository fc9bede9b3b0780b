import type { LanguageModel, UIMessage } from 'ai';
import type { RequestAnswer, RunEvent } from '../log/events.ts';
import type { Scheduler } from '../log/schedule.ts';
import type { RunState } from '../log/state.ts';
import type { PromptTypes } from '../base/prompt-types.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { EditReply, TaskEdit } from '../tasks/task.ts';
import type { ClientTools } from '../client-tools/client-tools.ts';
import type { Executor } from '../executors/executor.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import type { RunStorage } from '../storage/run-storage.ts';

/** What the starts of a run use. */
export type RunSettings = {
  /** Where the run happens; default `inProcess()`. */
  executor?: Executor | undefined;
  /** Model to use instead of the definition's own. */
  model?: string | LanguageModel | undefined;
  options?: PromptOptions | undefined;
};

export type RunOptions<Types extends PromptTypes = PromptTypes> = RunSettings & {
  /** The page's functions for the prompt's client tools: those that are declared without a function. */
  tools?: ClientTools<Types> | undefined;
  /** Names the run in a registry and in a storage; made up where it is missing. */
  id?: string | undefined;
  /**
   * Keeps the run over a reload, under its id, and shows it in all tabs whose storage has the same `scope`: one of them works
   * on it, and the others follow. Default: it is kept nowhere.
   */
  storage?: RunStorage | undefined;
  /** What has happened already: the run begins with this log's state. */
  log?: readonly RunEvent[] | undefined;
  /** When to tell subscribers; default once a frame. */
  schedule?: Scheduler | undefined;
};

/**
 * What a start does where the run is under way: stop it (`replace`, the default), wait for its end (`queue`), fail as
 * `busy` (`reject`), or let it go on out of sight (`parallel`): its promise settles with its end, and what it asks is in `state.requests`.
 */
export type WhenBusy = 'replace' | 'queue' | 'reject' | 'parallel';

export type SendOptions = {
  /** Default `replace`: what is under way is stopped, and what it has said so far is part of the conversation. */
  whenBusy?: Exclude<WhenBusy, 'parallel'> | undefined;
  /** Aborting it ends this start as `stopped`, or takes it out of the queue. */
  signal?: AbortSignal | undefined;
};

export type StartOptions = Omit<SendOptions, 'whenBusy'> & {
  /** Starting twice with the same key starts once, and both get the same promise; over a reload too, with a storage. */
  key?: string | undefined;
  whenBusy?: WhenBusy | undefined;
};

export type RetryOptions = {
  /**
   * Number of the step to begin with, from 0; what was before it stays. Default: the first that is not whole; of a run
   * that is done 0, the whole turn again. The model can go on after a step that called tools.
   */
  from?: number | undefined;
};

/** What a user says: text, or a whole message for other parts than text. */
export type SendMessage = string | Pick<UIMessage, 'parts'>;

/**
 * A prompt that can be started, watched, continued and stopped. It belongs to whoever holds it and lives on when
 * nobody watches.
 */
export type Run<Input = void, Types extends PromptTypes = PromptTypes> = {
  readonly id: string;
  readonly definition: PromptDefinition<Input, Types>;
  /** The state at this moment; the same object while nothing has happened. */
  getState(): RunState<Types>;
  /** Calls `listener` with the state at most once a frame, and once after the end. Returns the way to unsubscribe. */
  subscribe(listener: (state: RunState<Types>) => void): () => void;
  /** Calls `listener` with every event of every start, at once. Returns the way to stop. */
  listen(listener: (event: RunEvent) => void): () => void;
  /** Says what later starts use; what is left out stays as it was, and undefined goes back to the default. */
  configure(settings: RunSettings & { definition?: PromptDefinition<Input, Types> }): void;
  /**
   * Starts afresh. Resolves with the run's result (the text of the answer, or the object that an output schema asks
   * for), and rejects with the run's error, or with code `aborted` where it was stopped. The state says the same, so the
   * promise may be ignored.
   */
  start(input: Input, options?: StartOptions): Promise<Types['output']>;
  /** Continues the conversation: the prompt's own messages, all turns so far, then this one. Resolves as `start` does. */
  send(message: SendMessage, options?: SendOptions): Promise<Types['output']>;
  /**
   * Tries the last turn again in the same log, and keeps the steps before `from`: none of their calls is made again. Without
   * `from`, a step in which a call has begun is kept, too: a call that has no end is made again where its tool only reads,
   * and else ends with an error.
   * A run on a route whose connection was lost is followed again, as long as the route keeps it.
   * Resolves as `start` does; rejects with `invalid_options` where the run cannot go on from there.
   */
  retry(options?: RetryOptions): Promise<Types['output']>;
  /**
   * Changes the task list of what is under way, or with `agent` (a path) the one of an agent; the model sees it at its
   * next step. An edit that makes no sense is refused with a reason, and so is one that could not be sent: without a network
   * it waits for one, for half a minute at most.
   */
  edit(edit: TaskEdit, agent?: string): Promise<EditReply>;
  /**
   * Has these functions answer the calls of client tools, those that wait already included, until the returned function
   * is called. Of several for one tool the latest counts. A call runs once, in one page: one that another page of this
   * browser has begun waits for that page to go, and is then run again where the tool's `effect` is `read`, else answered
   * with an error, because it may have done its work.
   */
  provideTools(tools: ClientTools<Types>): () => void;
  /**
   * Answers an open request of `state.requests`: of kind `approval` with `{ approve }`, of kind `client-tool` with
   * `{ output }` or `{ error }`. What could not be sent is refused as in `edit`.
   */
  respond(requestId: string, answer: RequestAnswer): Promise<EditReply>;
  /** Ends what is under way as `stopped`, also what is out of sight, and drops what waits in the queue. */
  stop(): void;
  /** Lets go of what is under way: it goes on where it happens, and this run hears no more of it until `attach`. */
  detach(): void;
  /** Follows what was let go of, from where it was left; also a run on a route whose connection was lost for good. */
  attach(): void;
  /** Every event since the last start. */
  log(): readonly RunEvent[];
  /** The state as it was after the event `seq` of the log; -1 is before the first. */
  at(seq: number): RunState<Types>;
  /**
   * Another run, not under way, that has what this one had after the event `seq` (default: all): `retry` goes on from
   * its last whole step, `send` continues the conversation, and this run stays as it is.
   */
  fork(seq?: number): Run<Input, Types>;
  /** Resolves once it is known what the storage had of this run; never rejects. At once where there is none. */
  readonly restored: Promise<void>;
};
