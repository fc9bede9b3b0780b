import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { CuelineErrorCode } from '@cueline/core';
import { good, type Play, type StepName, type WireName } from './provider.ts';

/** How a run ends on a fault. */
export type Outcome = {
  /** `done`, or the code of the error. */
  ends: 'done' | CuelineErrorCode;
  /** The number of requests of the faulty step; 1 without retries. */
  attempts?: number;
  /** What `error.details` has. */
  details?: Record<string, unknown>;
  /** How often the tool runs. Default: once, if its call is complete. */
  written?: number;
};

/** A fault of a provider, or of the connection to it. */
export type Fault = Outcome & {
  name: string;
  play: Play;
  /** The tool's behavior, if it does not simply return a text. */
  tool?: () => unknown;
  /** True if the format or the step has no such fault. */
  only?: { wire?: WireName; step?: StepName };
  /**
   * True if it uses the processor for seconds. It then runs alone, because it would exceed the time limits of other
   * tests.
   */
  heavy?: true;
  /** Differences with a model proxy between the run and the provider. */
  byProxy?: Partial<Outcome>;
  /** Differences behind a route. */
  byRoute?: Partial<Outcome>;
};

/** The fault in the first `times` requests of the step, and the right answer after that. */
export function first(times: number, play: Play): Play {
  return (exchange) => (exchange.attempt <= times ? play(exchange) : good(exchange));
}

/**
 * Resolves when a page has had time to read what it was sent: a reset or an error discards the rest, and a busy page
 * takes a while.
 */
export function untilRead(): Promise<void> {
  return sleep(250);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Writes a piece this many times, as fast as it is read, and stops when the reader disconnects. */
export async function pour(response: ServerResponse, piece: string, times: number): Promise<void> {
  const closed = once(response, 'close');
  for (let time = 0; time < times && !response.destroyed; time += 1) {
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  }
}
