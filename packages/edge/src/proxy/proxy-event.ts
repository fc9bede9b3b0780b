import type { Charge } from '../limits/charge.ts';

/** The events that a proxy reports about its calls, without a body, a header or a key. */
export type ProxyEvent =
  /** A request was refused before anything was sent to a provider. */
  | { type: 'refused'; status: number; code: string; provider?: string; subject?: string }
  /** A request was sent to a provider. */
  | { type: 'call'; id: string; subject: string; provider: string; model: string; reserved: number }
  /** A call has ended, and the budget is settled; or it cannot be, and `unsettled` comes before. */
  | {
      type: 'end';
      id: string;
      subject: string;
      provider: string;
      model: string;
      /** The status that the caller got. */
      status: number;
      /** `done`, `aborted`, or what went wrong. */
      outcome: string;
      /** Since the request arrived. */
      ms: number;
      /** Until the provider began to answer. */
      ttfbMs?: number;
      /** Of the provider's answer. */
      bytes: number;
      /**
       * The charged tokens: as the provider reports them, or everything that was reserved, for a call that was cut
       * off.
       */
      tokens: { input: number; output: number; cachedInput: number };
      /** Where the tokens come from: what the provider reports, what was seen or reserved, or nothing. */
      basis: Charge['basis'];
      /** The cost in the currency of `prices`. Missing if the model has no price. */
      cost?: number;
    }
  /**
   * The store of limits did not accept the cost of a call for more than a minute. The call counts as much as it could
   * use at most, and its slot is free once its lease is over: a minute after `timeouts.totalMs`.
   */
  | { type: 'unsettled'; id: string; subject: string; tokens: number; cost?: number }
  /** A fault of the server itself, such as an invalid result of `address`. Clients do not see it. */
  | { type: 'failed'; error: unknown };
