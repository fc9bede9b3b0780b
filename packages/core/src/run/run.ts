import type { LanguageModel, UIMessage } from 'ai';
import type { ClientTools } from '../client-tools/client-tools.ts';
import type { Executor } from '../executors/executor.ts';
import type { RunEvent } from '../log/events.ts';
import type { RunHandle } from '../log/run-handle.ts';
import type { Scheduler } from '../log/schedule.ts';
import type { PromptTypes } from '../log/state.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import type { RunStorage } from '../storage/run-storage.ts';

/** What the starts of a run use. */
export type RunSettings = {
  /** Where the run happens; default `inProcess()`. */
  executor?: Executor | undefined;
  /** Model to use instead of the definition's own. */
  model?: string | LanguageModel | undefined;
  /** Call settings, tools, limits, approvals: what `runPrompt` takes as `options`. */
  options?: PromptOptions | undefined;
};

/** The options of {@link createRun}. */
export type RunOptions<Types extends PromptTypes = PromptTypes> = RunSettings & {
  /** The page's functions for the prompt's client tools, which are declared without a function. */
  tools?: ClientTools<Types> | undefined;
  /** Names the run in a registry and in a storage. Default: a random id. */
  id?: string | undefined;
  /**
   * Keeps the run over a reload, under its id, and shows it in all tabs whose storage has the same `scope`: one
   * of them works on it, and the others follow. Default: the run is not stored.
   */
  storage?: RunStorage | undefined;
  /**
   * The log so far. The run begins with its state; if an earlier version has written the log, once `restored` has
   * resolved.
   */
  log?: readonly RunEvent[] | undefined;
  /** When to notify subscribers. Default: once a frame. */
  schedule?: Scheduler | undefined;
};

/**
 * What a start does if the run is busy: stop the current start (`replace`, the default), wait for its end
 * (`queue`), fail as `busy` (`reject`), or let it continue in the background (`parallel`). In the background
 * its promise settles with its end, and its pending approvals are in `state.approvals`.
 */
export type WhenBusy = 'replace' | 'queue' | 'reject' | 'parallel';

/** The options of `run.send`. */
export type SendOptions = {
  /** Default `replace`: the current start is stopped, and its text so far is part of the conversation. */
  whenBusy?: Exclude<WhenBusy, 'parallel'> | undefined;
  /** Aborting it ends this start as `stopped`, or takes it out of the queue. */
  signal?: AbortSignal | undefined;
};

/** The options of `run.start`. */
export type StartOptions = Omit<SendOptions, 'whenBusy'> & {
  /**
   * Starting twice with the same key starts once, and both calls get the same promise; with a storage, also after a
   * reload.
   */
  key?: string | undefined;
  /** What happens if the run is busy. Default `replace`. */
  whenBusy?: WhenBusy | undefined;
};

/** The options of `run.retry`. */
export type RetryOptions = {
  /**
   * Number of the step to begin with, from 0; earlier steps are kept. Default: the first step that is not
   * complete; for a finished run 0, the whole turn again. The model can continue after a step that called tools.
   */
  from?: number | undefined;
};

/** A user's message: text, or a whole message with other parts. */
export type SendMessage = string | Pick<UIMessage, 'parts'>;

/**
 * A prompt that can be started, watched, continued and stopped. It lives as long as its owner holds it, also
 * when nothing subscribes to it.
 */
export type Run<Input = void, Types extends PromptTypes = PromptTypes> = RunHandle<Types> & {
  readonly definition: PromptDefinition<Input, Types>;
  /** Sets what later starts use. Fields that are left out stay unchanged, and undefined restores the default. */
  configure(settings: RunSettings & { definition?: PromptDefinition<Input, Types> }): void;
  /**
   * Starts the prompt anew. Resolves with the run's result (the text of the answer, or the object of an output
   * schema), and rejects with the run's error, or with code `aborted` if it was stopped. The state contains the
   * same, so the promise may be ignored. With an option that does not exist, nothing changes, and it rejects with
   * `invalid_options`.
   */
  start(input: Input, options?: StartOptions): Promise<Types['output']>;
  /**
   * Continues the conversation: the prompt's own messages, all turns so far, then this one. Resolves as `start` does.
   */
  send(message: SendMessage, options?: SendOptions): Promise<Types['output']>;
  /**
   * Retries the last turn in the same log, and keeps the steps before `from`: none of their calls is made
   * again. Without `from`, a step in which a call has started is kept, too: a call without an end is made again
   * if its tool only reads or is idempotent, an agent continues where it was (not on a route), and any other call
   * ends with an error. A run on a route whose connection was lost is followed again, as long as the route keeps it.
   * Resolves as `start` does; rejects with `invalid_options` if the run cannot continue from there.
   */
  retry(options?: RetryOptions): Promise<Types['output']>;
  /**
   * Answers the calls of client tools with these functions, including calls that wait already, until the
   * returned function is called. If several functions have the name of one tool, the latest counts. A call runs
   * once, in one page: a call that another page of this browser has started waits until that page is gone, and
   * then runs again if the tool's `effect` is `read`. Otherwise it is answered with an error, because it may
   * have taken effect.
   */
  provideTools(tools: ClientTools<Types>): () => void;
  /** Ends the current start as `stopped`, also those in the background, and drops those in the queue. */
  stop(): void;
  /**
   * Does the same as `stop`, except that a run that another tab works on continues there. If that tab is closed, this
   * tab continues the run only if something here subscribes or listens to it.
   */
  stopHere(): void;
  /**
   * Stops following the current start. It continues where it happens, and this run receives no more of it until
   * `attach`.
   */
  detach(): void;
  /**
   * Follows a detached start again, from where it was left; also a run on a route whose connection was lost for good,
   * and a start without an answer. A start that was refused stays as it is.
   */
  attach(): void;
  /**
   * Returns another run, not started, with the log of this one up to the event `seq` (default: all), and with the
   * settings and client tools that this one has now: `retry` continues after its last complete step, `send` continues
   * the conversation, and this run stays unchanged.
   */
  fork(seq?: number): Run<Input, Types>;
  /** Resolves once the stored log of this run is known; never rejects. Resolves at once without a storage. */
  readonly restored: Promise<void>;
};
