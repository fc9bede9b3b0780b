import type { Charge } from '../limits/charge.ts';

/** What a proxy tells of its calls: facts, and never a body, a header or a key. */
export type ProxyEvent =
  /** A request was refused before anything was sent to a provider. */
  | { type: 'refused'; status: number; code: string; provider?: string; subject?: string }
  /** A request was sent to a provider. */
  | { type: 'call'; id: string; subject: string; provider: string; model: string; reserved: number }
  /** A call has ended, and the budget was settled. */
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
      /** From the request on. */
      ms: number;
      /** Until the provider began to answer. */
      ttfbMs?: number;
      /** Of the provider's answer. */
      bytes: number;
      /** What was charged: as the provider reports it, and for a call that was cut off, all that it had reserved. */
      tokens: { input: number; output: number; cachedInput: number };
      /** Whether that is what the provider reports, or what was reserved. */
      basis: Charge['basis'];
      /** The same in the currency of `prices`. Missing where the model has no price. */
      cost?: number;
    }
  /** The store of limits did not take what a call has cost. */
  | { type: 'unsettled'; id: string; subject: string; tokens: number; cost?: number }
  /** Something of the server's own is wrong, such as what `address` gives. Clients are not told what it was. */
  | { type: 'failed'; error: unknown };
