import type { Environment } from '@cueline/core/models';
import type { RequestHeaderOptions } from '../http/cors.ts';
import type { IdentifyOptions } from '../http/identify.ts';
import type { KillSwitchOption } from '../limits/kill-switch.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import type { Prices } from '../limits/prices.ts';
import type { ProxyEvent } from './proxy-event.ts';

/**
 * A provider that a proxy passes calls on to. For openai, anthropic, google, mistral, groq, deepseek, togetherai and
 * fireworks only `models` is needed.
 */
export type ProxiedProvider = {
  /**
   * The key, or what reads it from the environment at each call. Default, of those: their usual variable. A server of
   * your own may have one of less than 8 characters, such as `none`; that is no secret, and is not looked for in answers.
   */
  apiKey?: string | ((env: Environment) => string | undefined) | undefined;
  /** Where the API answers, such as `https://api.example.com/v1`. */
  baseURL?: string | undefined;
  /** The paths that are open, behind `baseURL`; `{model}` stands for one model id. Default: Chat Completions. */
  paths?: readonly string[] | undefined;
  /** The ids of the models that may be asked, letter by letter. */
  models: readonly string[];
  /** The fields of a body that are passed on, in place of those that the proxy knows to be harmless. */
  fields?: readonly string[] | undefined;
  /**
   * The most tokens that one of the models reads. With it, files whose length does not tell what they cost are passed
   * on (PDF, sound, video, packed documents), and reserve as much; without it, they are refused.
   */
  contextTokens?: number | undefined;
};

/** What a proxy lets through. */
export type ProxyLimits = {
  /** Of a request's body; default 1 MiB. */
  bodyBytes: number;
  /** Of a provider's answer; default 16 MiB. */
  responseBytes: number;
  /** Of one event of a stream; default 1 MiB. */
  eventBytes: number;
  /** Of a provider's error, of which only the message is passed on; default 64 KiB. */
  errorBytes: number;
  /** Tokens of one answer: more is asked for as this much. Default 4,096. */
  maxOutputTokens: number;
  /** Calls a minute for each subject; default 20. */
  rpm: number;
  /** Calls at once for each subject; default 4. */
  concurrent: number;
  /** Tokens a day (UTC) for each subject, read and written; default 200,000. */
  dailyTokens: number;
  /** Tokens a day (UTC) of all subjects together, over every proxy and route of one `store`. Unlimited by default. */
  totalDailyTokens: number;
  /** What each subject may cost a day (UTC), in the currency of `prices`. Unlimited by default. */
  dailyCost: number;
  /** What all subjects together may cost a day (UTC), in the currency of `prices`. Unlimited by default. */
  totalDailyCost: number;
  /**
   * Requests of each subject a minute, whatever comes of them, and as many at once. Counted in each process: it keeps the
   * server up, and is no budget. Default 120, or six times `rpm` where that is more.
   */
  requests: number;
};

/** How long a proxy waits for a provider, in ms. Infinity is for ever. */
export type ProxyTimeouts = {
  /** For the first byte of the answer; default 60,000. */
  ttfbMs: number;
  /** Between two bytes of the answer; default 60,000. */
  idleMs: number;
  /** For the whole call; default 600,000. */
  totalMs: number;
};

/** Options of {@link createModelProxy}. */
export type ModelProxyOptions = IdentifyOptions &
  RequestHeaderOptions & {
    /** Where the proxy stands; default `/api/models`. A call is `POST {basePath}/{provider}{path}`. */
    basePath?: string | undefined;
    /** The providers that may be asked, by the name that stands in the path. */
    providers: Readonly<Record<string, ProxiedProvider>>;
    /** The origins whose pages may ask, such as `https://play.example`. */
    origins: readonly string[];
    limits?: Partial<ProxyLimits> | undefined;
    timeouts?: Partial<ProxyTimeouts> | undefined;
    /** Counts for all instances of a server. Default: the memory of this process. */
    store?: LimitStore | undefined;
    /** What models cost. With `limits.dailyCost` or `limits.totalDailyCost`, every model of `providers` needs a price. */
    prices?: Prices | undefined;
    /** Refuses all new calls while it is on. */
    killSwitch?: KillSwitchOption | undefined;
    /** Sends the calls; default: the global `fetch`. */
    fetch?: typeof globalThis.fetch | undefined;
    /** Told of every call, for logs and bills. */
    onEvent?: ((event: ProxyEvent) => unknown) | undefined;
    /** The clock, in ms since 1970. */
    now?: (() => number) | undefined;
    /** Allows `'*'` as an origin, for pages without their cookies. */
    development?: boolean | undefined;
  };
