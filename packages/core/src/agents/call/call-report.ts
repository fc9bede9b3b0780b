import type { ModelMessage } from 'ai';
import type { CuelineError } from '../../base/errors.ts';
import type { CallTrace } from '../trace-calls.ts';
import type { CallCounters, CallEvent, CallState } from './transitions.ts';

/** The end of an agent call. */
export type CallReport = {
  /** The call's state when it ended, and the event that ended it. */
  readonly state: CallState;
  readonly event: CallEvent;
  readonly done: boolean;
  readonly counters: CallCounters;
  readonly value: unknown;
  /** Why it is not done, if known. */
  readonly error: CuelineError | undefined;
  /** The whole conversation, without unusable answers. */
  readonly messages: readonly ModelMessage[];
  readonly calls: readonly CallTrace[];
  /** The provider's metadata of the answer. */
  readonly providerMetadata: unknown;
};
