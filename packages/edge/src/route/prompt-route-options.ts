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
import type { ModelUsage } from './usage/model-usage.ts';
import type { ApprovalPermission, EditPermission } from './permissions.ts';

/** What a run may use, as `options.limits` of any run has it, and what one subject may use of the route. */
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
  /** Runs of one subject a minute. Default 20. */
  rpm: number;
  /**
   * Tokens of one subject a day (UTC), where `auth` names no number of its own. Unlimited by default; with `auth: 'none'` this
   * or `dailyCost` has to be given. Each model call reserves what it may use at most before it is made: what it sends, at
   * a token for each byte of text, and the longest answer that it may get. Where less is left it gets a shorter answer, down to
   * 1,024 tokens; then it is refused. Once the provider has said what the call has used, that is charged; where a call is cut off
   * before, all that it had reserved.
   */
  dailyTokens: number;
  /** Tokens of all subjects together a day (UTC), over every route and proxy of one `limitStore`. Unlimited by default. */
  totalDailyTokens: number;
  /** What one subject may cost a day (UTC), in the currency of `prices`, where `auth` names no number of its own. Unlimited by default. */
  dailyCost: number;
  /** What all subjects together may cost a day (UTC), in the currency of `prices`. Unlimited by default. */
  totalDailyCost: number;
  /**
   * Tokens of the longest answer of one model call, with what the model thinks. A call that asks for a longer one gets this. One
   * that asks for none gets this, and 16,384 where it is not given. Models that write less need a lower number.
   */
  maxOutputTokens: number;
  /**
   * Tokens that one of the models reads at most; default 200,000. A call reserves as many that sends a file whose length says
   * nothing about its tokens: PDF, sound, video, or whatever stands at an address.
   */
  contextTokens: number;
  /** How long a run may take in all, waiting for answers included, in milliseconds. Default 15 minutes. */
  runMs: number;
  /**
   * How many bytes of memory the requests and runs under way may take in each process for what clients send: some four times
   * what a body takes once it is parsed, which for a body of many small objects is up to twenty times its length. Beyond
   * that a run is refused with 503, the largest first; one that could never begin with 413. Default 256 MiB.
   */
  memoryBytes: number;
  /** How long a run can be read after its end, in milliseconds. Default 5 minutes. */
  replayMs: number;
  /** The most bytes of what a run under way is told, such as what a client tool returned. Default 512 KB. */
  commandBytes: number;
  /**
   * Requests of one subject a minute, whatever they ask for, and as many at once. Counted in each process: it keeps the
   * server up, and is no budget. Default 120, or six times `rpm` where that is more.
   */
  requests: number;
  /** Answers that go on to one subject at once, in each process. Default 16, or four times `concurrent` where that is more. */
  streams: number;
  /** Of these, answers of one run that a client comes back to. Default 8. */
  streamsPerRun: number;
  /**
   * How long nothing may happen in a run of another instance before that is asked whether it is still there, in
   * milliseconds. Where nobody answers, which takes up to 8 s, the run ends with `interrupted`. Default 15 seconds.
   */
  quietMs: number;
};

/**
 * What a client asks for. Its messages have been checked; `model` and `options` are as they came. Of `input`, only the
 * size has been checked: what the run gets is validated with the prompt's schema after `accept`. `tasks` is what the
 * client says of them: where `accept` gives no others, the route's own log decides what became of the author's.
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

/** What a run is started with. What is left out is the client's input, messages and tasks, and the route's own model. */
export type AcceptedRun = Partial<Pick<RunRequest, 'input' | 'messages' | 'tasks' | 'model' | 'options'>>;

/** What happens on a route, without a word of what is said in a run. */
export type PromptRouteEvent =
  | { type: 'run-start'; runId: string; subject: string; prompt: string }
  | {
      type: 'run-end';
      runId: string;
      subject: string;
      prompt: string;
      outcome: RunOutcome;
      /** Of its error, where it ended with one. */
      code?: string;
      /** How long it took. */
      ms: number;
      /** What was charged: as providers report it, and for a call that was cut off, all that it had reserved. */
      tokens: number;
      /** The same in the currency of `prices`. Models without a price cost 0. */
      cost: number;
      /** The same by model, with those of its agents. */
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
      /** How long it took. */
      ms: number;
      inputTokens: number;
      outputTokens: number;
      cachedInputTokens: number;
      /** Whether that is what the provider reports, or what was reserved. */
      basis: Charge['basis'];
      /** What it has cost, in the currency of `prices`. Missing where the model has no price. */
      cost?: number;
    }
  | { type: 'refused'; code: string; status: number; method: string }
  /** Something of the server's own failed, such as a store. Clients are not told what it was. */
  | { type: 'failed'; error: unknown; runId?: string };

/**
 * A prompt that a route can serve: one that takes no input, or one with a schema for it, because what a client sends is
 * foreign. `definePrompt('plan-day', …, { input: z.object({ … }) })`.
 */
export type RoutePrompt = PromptDefinition | PromptDefinition<undefined> | PromptWithSchema;

/** What {@link createPromptRoute} takes besides the prompts. */
export type PromptRouteOptions = RequestHeaderOptions & {
  /** Model to use instead of the definitions' own. */
  model?: RunRequest['model'];
  /** Where models come from; a function gets what the platform passes as the second argument, as Workers do. */
  models?: ModelSettings | ((env: Environment) => ModelSettings) | undefined;
  /** Options of every run. */
  options?: PromptOptions | undefined;
  /** Pages of which origins may ask, such as `https://play.example`. */
  origins: readonly string[];
  /** Who asks. A run belongs to its subject, and nobody else is told that it is there. */
  auth: Authenticate | 'none';
  /** The caller's address. Required where `auth` is `'none'`; else requests that `auth` refuses are counted by it. */
  address?: ((request: Request) => string) | undefined;
  limits?: Partial<PromptRouteLimits> | undefined;
  /** Where runs are written down. Default: in this process. */
  store?: RunLogStore | undefined;
  /** Who counts the runs of each subject. Default: this process. */
  limitStore?: LimitStore | undefined;
  /** What models cost. With `limits.dailyCost` or `limits.totalDailyCost`, a model without a price is not called. */
  prices?: Prices | undefined;
  /** Refuses all new runs and model calls while it is on. */
  killSwitch?: KillSwitchOption | undefined;
  /**
   * Lets a client set more than input, messages and tasks, or less: what it returns is what the run gets. Without it,
   * a client that sends `model` or `options` is refused. A `CuelineError` that it throws refuses in its words.
   *
   * @example
   * accept: ({ model }) => (model === 'openai:gpt-4o-mini' ? { model } : {})
   */
  accept?: ((asked: AskedRun, request: Request) => AcceptedRun | Promise<AcceptedRun>) | undefined;
  /**
   * Which edits of the task list a client may make: a list of types, which then holds for every task, or a function of
   * the edit and its task. Default: adding tasks, having any task done again, and changing those that the prompt's author
   * did not write. Of the author's tasks, those without a `validation` may be skipped and resolved, too.
   */
  edits?: EditPermission | undefined;
  /**
   * Whether a client that approves a call may change its arguments: `'edit'`, or a function that says so for each call.
   * The tool's schema checks them again, and the log has them in `approval-response`. Default `'yes-no'`.
   */
  approvals?: ApprovalPermission | undefined;
  /** Which addresses files in a client's messages may have, besides `data:`. The server or the provider fetches them. */
  fileUrls?: ((url: URL) => boolean) | undefined;
  /** Keeps the process awake until a run has ended, where a platform would freeze it once it has answered. */
  waitUntil?: ((work: Promise<void>) => void) | undefined;
  /**
   * Lets clients read what the prompt's own code and its tools throw, word for word. Without it they read only a
   * `CuelineError`, which is meant for them, and `onEvent` is told the rest; of a call inside a composite tool they read
   * only that it failed. The model is told why a tool failed all the same. Default: only in `development`.
   */
  showErrors?: boolean | undefined;
  /**
   * Lets clients read what each step sends to the model: system prompt, variables, tools with their descriptions and
   * schemas, settings, and messages that hooks put there. Without it these stay on the server, out of the `store` too,
   * and clients see that a step began. What belongs to the conversation is shown in any case: what the prompt itself says
   * in it (`prompt.$`, and `defMessage` as user or assistant; an agent's, too), what the model is told between steps,
   * calls with their names, arguments and results, and tasks. Default: only in `development`.
   */
  showRequests?: boolean | undefined;
  onEvent?: ((event: PromptRouteEvent) => void) | undefined;
  /** Takes `'*'` among the origins, for pages without their cookies, and shows errors and requests. */
  development?: boolean | undefined;
};
