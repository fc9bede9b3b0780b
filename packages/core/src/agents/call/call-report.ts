import type { ModelMessage } from 'ai';
import type { CuelineError } from '../../base/errors.ts';
import type { CallTrace } from './call-trace.ts';
import type { CallCounters, CallEvent, CallState } from './transitions.ts';

/** How an agent call ended. */
export type CallReport = {
  /** The state that it was in when it ended, and what happened then. */
  readonly state: CallState;
  readonly event: CallEvent;
  readonly done: boolean;
  readonly counters: CallCounters;
  readonly value: unknown;
  /** Why it is not done, where that is known. */
  readonly error: CuelineError | undefined;
  /** The whole conversation, without what could not be used. */
  readonly messages: readonly ModelMessage[];
  readonly calls: readonly CallTrace[];
  /** What the provider said of the answer. */
  readonly providerMetadata: unknown;
};
