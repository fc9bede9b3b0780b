import { anySignal } from '../base/any-signal.ts';
import { isError, thrownName } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { MAX_TIMER_MS } from '../base/timer.ts';
import type { TimeoutOptions } from '../prompt/call-settings.ts';
import type { ModelTimeouts } from './call-timeouts.ts';

/** The default time limit of one tool call: 5 minutes. Waiting for an approval or for the page does not count. */
const TOOL_MS = 300_000;

/** The limits that `options.timeout` sets. */
export type Timeouts = {
  model: ModelTimeouts;
  /** Returns the time limit of a tool that sets none, in milliseconds. */
  toolMs(toolName: string): number;
  /**
   * The limit of the whole run or agent; undefined for none. Waiting for an approval counts, except in durable runs.
   */
  totalMs: number | undefined;
  /** The limit that the AI SDK measures: a step with its tools. Waiting for an approval in this process counts. */
  sdk: { timeout?: { stepMs: number } };
};

/** Reads `options.timeout`, which `checkSettings` has checked. */
export function readTimeouts(options: TimeoutOptions = {}): Timeouts {
  const {
    totalMs,
    stepMs,
    firstChunkMs,
    chunkMs,
    toolMs,
    tools = {},
  } = typeof options === 'number' ? { totalMs: options } : options;
  return {
    model: { firstChunkMs, chunkMs },
    toolMs: (toolName) => (tools as Record<string, number | undefined>)[`${toolName}Ms`] ?? toolMs ?? TOOL_MS,
    totalMs: isLimited(totalMs) ? totalMs : undefined,
    sdk: isLimited(stepMs) ? { timeout: { stepMs } } : {},
  };
}

function isLimited(ms: number | undefined): ms is number {
  return ms !== undefined && ms <= MAX_TIMER_MS;
}

/**
 * Returns a signal that also aborts when `who`, a run or an agent, has taken longer than `ms` milliseconds, of which
 * it took `spent` before. The reason then has the name `TimeoutError`, as the AI SDK expects, and the error of the
 * run as its cause.
 */
export function withTotalLimit(
  signal: AbortSignal,
  ms: number | undefined,
  who: string,
  spent: () => number,
): AbortSignal {
  if (ms === undefined) return signal;
  const controller = new AbortController();
  const onTimeout = (): void => {
    const cause = limitError(who, 'total', ms);
    controller.abort(Object.assign(new DOMException(cause.message, 'TimeoutError'), { cause }));
  };
  // does not keep a process alive whose run is not read
  AbortSignal.timeout(Math.max(1, Math.ceil(ms - spent()))).addEventListener('abort', onTimeout, {
    once: true,
  });
  return anySignal(signal, controller.signal);
}

/** Returns the error for the reason with which `totalMs` or `stepMs` ends a run; undefined for any other reason. */
export function timeLimitError(reason: unknown): CuelineError | undefined {
  if (!isError(reason) || thrownName(reason) !== 'TimeoutError') return undefined;
  if (CuelineError.isInstance(reason.cause)) return reason.cause;
  // the AI SDK's own words
  const [, stepMs] = /^Step timeout of ([\d.]+)ms exceeded$/.exec(reason.message) ?? [];
  return stepMs === undefined ? undefined : limitError('A step', 'step', Number(stepMs));
}

function limitError(what: string, phase: 'total' | 'step', ms: number): CuelineError {
  const message = `${what} took longer than ${ms / 1_000} s. Allow it more time: options.timeout.${phase}Ms.`;
  return new CuelineError('timeout', message, { details: { phase, ms } });
}
