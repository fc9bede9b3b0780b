import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { CuelineErrorCode } from '@cueline/core';
import { good, type Play, type StepName, type WireName } from './provider.ts';

/** How a run ends on a fault. */
export type Outcome = {
  /** `done`, or the code of the error. */
  ends: 'done' | CuelineErrorCode;
  /** How many requests the faulty step takes; 1 unless something is tried again. */
  attempts?: number;
  /** What `error.details` has. */
  details?: Record<string, unknown>;
  /** How often the tool runs. By default once, where its call is whole. */
  written?: number;
};

/** Something that a provider, or the way to it, does wrong. */
export type Fault = Outcome & {
  name: string;
  play: Play;
  /** What the tool does, where that is not to return a text. */
  tool?: () => unknown;
  /** Where the format or the step has no such fault. */
  only?: { wire?: WireName; step?: StepName };
  /** True if it keeps the processor busy for seconds, so that it runs by itself: the time limits of the others go on. */
  heavy?: true;
  /** What is different where a model proxy is between the run and the provider. */
  byProxy?: Partial<Outcome>;
};

/** The fault in the first `times` requests of the step, and the right answer after that. */
export function first(times: number, play: Play): Play {
  return (exchange) => (exchange.attempt <= times ? play(exchange) : good(exchange));
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Writes a piece so many times, as fast as it is read, and stops where nothing reads it any more. */
export async function pour(response: ServerResponse, piece: string, times: number): Promise<void> {
  const closed = once(response, 'close');
  for (let time = 0; time < times && !response.destroyed; time += 1) {
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  }
}
