import type { Environment } from '@cueline/core/models';
import type { RequestHeaderOptions } from '../http/cors.ts';
import type { IdentifyOptions } from '../http/identify.ts';
import type { KillSwitchOption } from '../limits/kill-switch.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import type { Prices } from '../limits/prices.ts';
import type { ProxyEvent } from './proxy-event.ts';

/**
 * A provider to which a proxy forwards calls. openai, anthropic, google, mistral, groq, deepseek, togetherai and
 * fireworks need only `models`.
 */
export type ProxiedProvider = {
  /**
   * The key, or a function that reads it from the environment at each call. Default for the providers above:
   * their usual variable. Your own server may have a key of fewer than 8 characters, such as `none`; it does
   * not count as secret, and answers are not searched for it.
   */
  apiKey?: string | ((env: Environment) => string | undefined) | undefined;
  /** The address of the API, such as `https://api.example.com/v1`. */
  baseURL?: string | undefined;
  /**
   * The open paths, relative to `baseURL`; `{model}` stands for one model id. Default: `/chat/completions`, for openai
   * also `/responses`; for anthropic `/messages`, for google `generateContent` and `streamGenerateContent` of a model.
   */
  paths?: readonly string[] | undefined;
  /** The ids of the models that may be called, compared exactly. */
  models: readonly string[];
  /** The fields of a body that are forwarded, instead of those that the proxy knows to be harmless. */
  fields?: readonly string[] | undefined;
  /**
   * The most tokens that one of the models reads. With it, files whose length does not tell their cost (PDF,
   * audio, video, packed documents) are forwarded, and reserve this many tokens; without it, they are refused.
   */
  contextTokens?: number | undefined;
};

/** The limits of a proxy. */
export type ProxyLimits = {
  /** Bytes of a request's body; default 1 MiB. */
  bodyBytes: number;
  /**
   * Bytes of memory for the bodies that are being read and sent, in each process; default 256 MiB. A body takes up to
   * ninety times its length.
   */
  memoryBytes: number;
  /** Bytes of a provider's answer; default 16 MiB. */
  responseBytes: number;
  /** Bytes of one event of a stream; default 1 MiB. */
  eventBytes: number;
  /** Bytes of a provider's error, of which only the message is forwarded; default 64 KiB. */
  errorBytes: number;
  /** Tokens of one answer: a higher request is lowered to this. Default 4,096. */
  maxOutputTokens: number;
  /** Calls per minute for each subject; default 20. */
  rpm: number;
  /** Calls at once for each subject; default 4. */
  concurrent: number;
  /** Tokens per day (UTC) for each subject, input and output; default 200,000. */
  dailyTokens: number;
  /**
   * Tokens per day (UTC) of all subjects together, over every proxy and route of one `store`. Unlimited by default.
   */
  totalDailyTokens: number;
  /** The cost of each subject per day (UTC), in the currency of `prices`. Unlimited by default. */
  dailyCost: number;
  /** The cost of all subjects together per day (UTC), in the currency of `prices`. Unlimited by default. */
  totalDailyCost: number;
  /**
   * Requests of each subject per minute, whatever their outcome, and as many at once. Counted in each process:
   * it protects the server and is not a budget. Default 120, or six times `rpm` if that is more.
   */
  requests: number;
};

/** How long a proxy waits for a provider, in ms. Infinity turns a limit off. */
export type ProxyTimeouts = {
  /** Until the first byte of the answer; default 60,000. */
  ttfbMs: number;
  /** Between two bytes of the answer; default 60,000. */
  idleMs: number;
  /** For the whole call; default 600,000. */
  totalMs: number;
};

/** Options of {@link createModelProxy}. */
export type ModelProxyOptions = IdentifyOptions &
  RequestHeaderOptions & {
    /** The path of the proxy; default `/api/models`. A call is `POST {basePath}/{provider}{path}`. */
    basePath?: string | undefined;
    /** The providers that may be called, by their name in the path. */
    providers: Readonly<Record<string, ProxiedProvider>>;
    /** The origins whose pages may call the proxy, such as `https://play.example`. */
    origins: readonly string[];
    /** What callers may use. Each limit has a default. */
    limits?: Partial<ProxyLimits> | undefined;
    /** How long a call may take. Each time has a default. */
    timeouts?: Partial<ProxyTimeouts> | undefined;
    /** Counts for all instances of a server. Default: the memory of this process. */
    store?: LimitStore | undefined;
    /**
     * What models cost. With `limits.dailyCost` or `limits.totalDailyCost`, every model of `providers` needs a price.
     */
    prices?: Prices | undefined;
    /** Refuses all new calls while it is on. */
    killSwitch?: KillSwitchOption | undefined;
    /** Sends the calls; default: the global `fetch`. */
    fetch?: typeof globalThis.fetch | undefined;
    /** Called with every call, for logs and bills. */
    onEvent?: ((event: ProxyEvent) => unknown) | undefined;
    /** The clock, in ms since 1970. */
    now?: (() => number) | undefined;
    /** Allows `'*'` as an origin, for pages without their cookies. */
    development?: boolean | undefined;
  };
