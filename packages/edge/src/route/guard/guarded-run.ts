import type { RunEvent, SerializedError } from '@cueline/core';
import type { Model } from '../usage/metered-model.ts';

/** A run that a worker is about to advance by one step. */
export type GuardedRun = {
  runId: string;
  /** How often a worker has taken the run over, including this time. */
  epoch: number;
  prompt: string;
  /** The user to whom it belongs, with daily limits of their own; null is no limit. */
  owner:
    | { subject: string; dailyTokens?: number | null | undefined; dailyCost?: number | null | undefined }
    | undefined;
  /** The tokens that it may use by its own limits. */
  tokens: number | undefined;
  /** How long it has taken so far, in milliseconds, without the time in which it only waited for responses. */
  activeMs: number;
  events: readonly RunEvent[];
  /** Ends the run with this error. */
  end(error: SerializedError): void;
  /** Leaves the run as it is, so that a worker tries again after a pause. */
  tryLater(error: unknown): void;
};

/** One step of a run under a guard. */
export type GuardedStep = {
  wrapModel(model: Model): Model;
  /** Reports events that are stored. */
  stored(events: readonly RunEvent[]): void;
  /** Ends the step. Never rejects. */
  over(outcome: 'next' | 'waiting' | 'done' | 'failed' | 'lost'): Promise<void>;
};
