import type {
  Limits,
  ModelSettings,
  PromptOptions,
  PromptDefinition,
  PromptWithSchema,
  RunOutcome,
  RunRequest,
} from '@cueline/core';
import type { Environment } from '@cueline/core/models';
import type { RequestHeaderOptions } from '../http/cors.ts';
import type { Authenticate } from '../http/identify.ts';
import type { Charge } from '../limits/charge.ts';
import type { KillSwitchOption } from '../limits/kill-switch.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import type { Prices } from '../limits/prices.ts';
import type { RunLogStore } from '../stores/run-log-store.ts';
import type { ApprovalPermission, EditPermission } from './permissions.ts';
import type { DurableHost } from './runs/durable-host.ts';
import type { ModelUsage } from './usage/model-usage.ts';

/** The limits of one run, as in `options.limits`, and the limits of one subject on the route. */
export type PromptRouteLimits = Limits & {
  /** The most bytes of a request. Default 1 MB. */
  bodyBytes: number;
  /** The most bytes of a run's input, about as its JSON has them. Default 256 KB. */
  inputBytes: number;
  /** The most values of a run's input: lists, objects, and what is in them. Default 10,000. */
  inputNodes: number;
  /** How deep lists and objects of a run's input may be nested. Default 32. */
  inputDepth: number;
  /** Runs of one subject at once. Default 4. */
  concurrent: number;
  /** Runs of one subject per minute. Default 20. */
  rpm: number;
  /**
   * Tokens of one subject per day (UTC), if `auth` returns no number of its own. Unlimited by default; `auth:
   * 'none'` requires this or `dailyCost`. Before each model call, the route reserves the most it may use: its
   * request, at one token per byte of text, and the longest answer that it may get. If less is left, the call
   * gets a shorter answer, down to 1,024 tokens; then it is refused. Once the provider has reported the usage,
   * that is charged; if a call is cut off before, everything it reserved.
   */
  dailyTokens: number;
  /**
   * Tokens of all subjects together per day (UTC), over every route and proxy of one `limitStore`. Unlimited by
   * default.
   */
  totalDailyTokens: number;
  /**
   * The cost of one subject per day (UTC), in the currency of `prices`, if `auth` returns no number of its own.
   * Unlimited by default.
   */
  dailyCost: number;
  /** The cost of all subjects together per day (UTC), in the currency of `prices`. Unlimited by default. */
  totalDailyCost: number;
  /**
   * Tokens of the longest answer of one model call, including reasoning. A call that asks for a longer one gets
   * this. A call that asks for none gets this, or 16,384 if it is not given. Models that write less need a
   * lower number.
   */
  maxOutputTokens: number;
  /**
   * Tokens that one of the models reads at most; default 200,000. A call reserves this many if it sends a file whose
   * length says nothing about its tokens (PDF, audio, video, or a file at an address), or has a tool with which the
   * provider reads more, such as a web search.
   */
  contextTokens: number;
  /** How long a run may take in all, including waiting for responses, in milliseconds. Default 15 minutes. */
  runMs: number;
  /**
   * How many bytes of memory the data of clients may take in each process, in requests and runs in progress:
   * about four times the size of a parsed body, which for many small objects is up to twenty times the body's
   * length. Beyond that a run is refused with 503, the largest first; a run that could never begin with 413.
   * Default 256 MiB.
   */
  memoryBytes: number;
  /** How long a run can be read after its end, in milliseconds. Default 5 minutes. */
  replayMs: number;
  /**
   * The most bytes of a command to a run in progress, such as the result of a client tool. Default 512 KB. All
   * commands to one run may have eight times this together, and at least 4 MiB.
   */
  commandBytes: number;
  /**
   * Requests of one subject per minute, whatever they ask for, and as many at once. Counted in each process: it
   * protects the server and is not a budget. Default 120, or six times `rpm` if that is more.
   */
  requests: number;
  /**
   * Open responses to one subject at once, in each process. Default 16, or four times `concurrent` if that is more.
   */
  streams: number;
  /** Of these, responses for one run to which a client has reattached. Default 8. */
  streamsPerRun: number;
  /**
   * How long a run of another instance may be silent before that instance is asked whether it is alive, in
   * milliseconds. If it does not answer, which takes up to 8 s, and longer with a
   * store whose messages come late, the run ends with `interrupted`. Default 15 seconds.
   */
  quietMs: number;
};

/**
 * The request of a client. Its messages have been checked; `model` and `options` are unchecked. Of `input`,
 * only the size has been checked: the prompt's schema validates the run's input after `accept`. `tasks` is the
 * client's claim: unless `accept` returns others, the route's own log decides the state of the author's tasks.
 */
export type AskedRun = {
  prompt: string;
  subject: string;
  input: unknown;
  messages: NonNullable<RunRequest['messages']>;
  tasks: NonNullable<RunRequest['tasks']>;
  model: unknown;
  options: unknown;
};

/**
 * The start of a run. Missing fields come from the client (input, messages, tasks) and from the route (its model).
 */
export type AcceptedRun = Partial<Pick<RunRequest, 'input' | 'messages' | 'tasks' | 'model' | 'options'>>;

/** The events that a route reports, without any text of a run. */
export type PromptRouteEvent =
  | { type: 'run-start'; runId: string; subject: string; prompt: string }
  | {
      type: 'run-end';
      runId: string;
      subject: string;
      prompt: string;
      outcome: RunOutcome;
      /** The code of its error, if it ended with one. */
      code?: string;
      /** How long the run took. */
      ms: number;
      /**
       * The charged tokens: as providers report them, or everything that was reserved, for calls that were cut off.
       */
      tokens: number;
      /** The cost in the currency of `prices`. Models without a price cost 0. */
      cost: number;
      /** The usage by model, including agents. */
      usage: readonly ModelUsage[];
    }
  /** A model call has ended, of the run or of one of its agents. */
  | {
      type: 'model-call';
      runId: string;
      subject: string;
      prompt: string;
      /** `provider:model`, as the AI SDK's model object names itself. */
      model: string;
      /** How long the call took. */
      ms: number;
      inputTokens: number;
      outputTokens: number;
      cachedInputTokens: number;
      /** Where the tokens come from: what the provider reports, what was seen or reserved, or nothing. */
      basis: Charge['basis'];
      /** The cost in the currency of `prices`. Missing if the model has no price. */
      cost?: number;
    }
  | { type: 'refused'; code: string; status: number; method: string }
  /** A fault of the server itself, such as a failing store. Clients do not see it. */
  | { type: 'failed'; error: unknown; runId?: string };

/**
 * A prompt that a route can serve: one without input, or one with a schema for it, because a client's data is foreign.
 * `definePrompt('plan-day', …, { input: z.object({ … }) })`.
 */
export type RoutePrompt = PromptDefinition | PromptDefinition<undefined> | PromptWithSchema;

/** The options of {@link createPromptRoute}. */
export type PromptRouteOptions = RequestHeaderOptions & {
  /** The model to use instead of the definitions' own. */
  model?: RunRequest['model'];
  /**
   * Where models come from. A function gets the environment: on Workers the second argument of the route, otherwise
   * that of the process. Default: that environment.
   */
  models?: ModelSettings | ((env: Environment) => ModelSettings) | undefined;
  /** Options of every run. */
  options?: PromptOptions | undefined;
  /** The origins whose pages may call the route, such as `https://play.example`. */
  origins: readonly string[];
  /** Authenticates the caller. A run belongs to its subject, and other subjects cannot learn that it exists. */
  auth: Authenticate | 'none';
  /** The caller's address. Required if `auth` is `'none'`; otherwise it counts the requests that `auth` refuses. */
  address?: ((request: Request) => string) | undefined;
  /** What callers and runs may use. Most limits have a default. */
  limits?: { [Name in keyof PromptRouteLimits]?: PromptRouteLimits[Name] | undefined } | undefined;
  /**
   * Runs that outlive this process: what `createDurable` of `@cueline/durable` returns. It has the store, the models
   * and the options of the runs. Its `guard`, of {@link createRunGuard}, has `runMs`, `concurrent`, the daily limits
   * and the kill switch; without one, they cannot be set.
   */
  durable?: DurableHost | undefined;
  /** Stores the runs. Default: the memory of this process. */
  store?: RunLogStore | undefined;
  /** Counts the runs of each subject. Default: the memory of this process. */
  limitStore?: LimitStore | undefined;
  /** What models cost. With `limits.dailyCost` or `limits.totalDailyCost`, a model without a price is not called. */
  prices?: Prices | undefined;
  /** Refuses all new runs and model calls while it is on. */
  killSwitch?: KillSwitchOption | undefined;
  /**
   * Lets a client set more, or less, than input, messages and tasks: the run gets the returned values. Without
   * it, a client that sends `model` or `options` is refused. A thrown `CuelineError` refuses the request with
   * its message.
   *
   * @example
   * accept: ({ model }) => (model === 'openai:gpt-4o-mini' ? { model } : {})
   */
  accept?: ((asked: AskedRun, request: Request) => AcceptedRun | Promise<AcceptedRun>) | undefined;
  /**
   * The edits of the task list that a client may make: a list of types, which applies to every task, or a
   * function of the edit and its task. Default: adding tasks, having any task done again, and changing tasks
   * that the prompt's author did not write. Of the author's tasks, those without a `validation` may be skipped
   * and resolved, too.
   */
  edits?: EditPermission | undefined;
  /**
   * Whether a client that approves a call may change its arguments: `'edit'`, or a function that decides for
   * each call. The tool's schema checks them again, and the log has them in `approval-response`. Default
   * `'yes-no'`.
   */
  approvals?: ApprovalPermission | undefined;
  /**
   * Which addresses files in a client's messages may have, besides `data:`. The server or the provider fetches them.
   */
  fileUrls?: ((url: URL) => boolean) | undefined;
  /** Keeps the process awake until a run has ended, on platforms that freeze it after the response. */
  waitUntil?: ((work: Promise<void>) => void) | undefined;
  /**
   * Lets clients read the errors of the prompt's own code and its tools word for word. Without it they read
   * only a `CuelineError`, which is meant for them, and `onEvent` gets the rest; for a call inside a composite
   * tool they read only that it failed. The model always reads why a tool failed. Default: only in
   * `development`.
   */
  showErrors?: boolean | undefined;
  /**
   * Lets clients read the request of each step: system prompt, variables, tools with their descriptions and
   * schemas, settings, and messages added by hooks. Without it these stay on the server and out of the `store`,
   * and clients only see that a step began. The conversation is always shown: the prompt's own messages
   * (`prompt.$`, and `defMessage` as user or assistant; an agent's, too), feedback between steps, calls with
   * their names, arguments and results, and tasks. Default: only in `development`.
   */
  showRequests?: boolean | undefined;
  /** Called with starts, ends, model calls, refusals and failures, for logs, bills and alerts. */
  onEvent?: ((event: PromptRouteEvent) => void) | undefined;
  /** Allows `'*'` among the origins, for pages without cookies, and shows errors and requests. */
  development?: boolean | undefined;
};
