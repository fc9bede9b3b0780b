import { suggestion } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { plural } from '../base/plural.ts';
import type { TokenUsage } from '../log/events.ts';
import { totalOf } from '../log/step.ts';
import type { LimitOptions, Limits } from '../prompt/prompt-options.ts';

/** The limits of a run whose options set none. */
export const defaultLimits: Limits = {
  steps: 50,
  toolCalls: 200,
  toolCallsPerStep: 32,
  concurrentToolCalls: 8,
  depth: 5,
};

/**
 * The default of `steps` if `stopWhen` decides when a run ends: far more than a run needs, but `stopWhen` may never
 * be true.
 */
const STEPS_WITH_STOP_WHEN = 1_000;

/** How much of its limits a run has used. A run and all its agents share one budget. */
export type Budget = {
  readonly limits: Limits;
  readonly used: Readonly<{ steps: number; toolCalls: number; tokens: number }>;
  /** Called before each model call. Returns an error if the call is not allowed; the call is then not counted. */
  takeStep(): CuelineError | undefined;
  /** Called before each tool call. Returns an error if the call is not allowed; the call is then not counted. */
  takeToolCall(): CuelineError | undefined;
  /**
   * Called after each model call with the usage that the provider reports. If no tokens are left, no other call
   * starts.
   */
  addTokens(usage: TokenUsage): void;
};

/** The minimum of each limit. Below it, a run could never start or never end. */
const lowest: Record<keyof Limits, 0 | 1> = {
  steps: 1,
  toolCalls: 0,
  toolCallsPerStep: 1,
  concurrentToolCalls: 1,
  depth: 0,
  tokens: 1,
};

/** Reads `options.limits`, with the defaults for what it leaves out. @throws CuelineError `invalid_options` */
export function readLimits(options: LimitOptions | undefined, hasStopWhen = false): Limits {
  const limits = { ...defaultLimits, ...(hasStopWhen ? { steps: STEPS_WITH_STOP_WHEN } : {}) };
  if (options === undefined) return limits;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new CuelineError(
      'invalid_options',
      `options.limits is ${formatLimit(options)}. Write an object such as { steps: 100 }.`,
      { details: { option: 'limits' } },
    );
  }
  for (const [name, value] of Object.entries(options)) {
    if (!isLimit(name)) {
      throw new CuelineError(
        'invalid_options',
        `options.limits has no "${name}". ${suggestion(name, Object.keys(lowest))}`,
        { details: { option: `limits.${name}` } },
      );
    }
    if (value === undefined) continue;
    const whole = Number.isSafeInteger(value) || value === Infinity;
    if (!whole || value < lowest[name]) {
      throw new CuelineError(
        'invalid_options',
        `options.limits.${name} is ${formatLimit(value)}. Give a whole number of at least ${lowest[name]}, or Infinity for no limit.`,
        { details: { option: `limits.${name}` } },
      );
    }
    limits[name] = value;
  }
  return limits;
}

function isLimit(name: string): name is keyof Limits {
  return Object.hasOwn(lowest, name);
}

function formatLimit(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}

/** A limit that ends the run with an error. Calls beyond `concurrentToolCalls` wait instead. */
type HardLimit = Exclude<keyof Limits, 'concurrentToolCalls'>;

const reached: Record<HardLimit, (allowed: number) => string> = {
  steps: (allowed) => `The run has called the model ${times(allowed)}, its agents included`,
  toolCalls: (allowed) => `The run has made ${plural(allowed, 'tool call')}, its agents included`,
  toolCallsPerStep: (allowed) => `One step may make ${plural(allowed, 'tool call')}, and this is one more`,
  depth: (allowed) => `Agents may go ${plural(allowed, 'level')} deep, and this is one more`,
  tokens: (allowed) =>
    `The run has used the ${plural(allowed, 'token')} that it may use, its agents included`,
};

/** Returns the `budget_exceeded` error of a limit: what was reached, and how to raise it. */
export function budgetExceededError(limit: HardLimit, allowed: number): CuelineError {
  return new CuelineError(
    'budget_exceeded',
    `${reached[limit](allowed)}. If that is too low, raise options.limits.${limit}; Infinity means no limit.`,
    { details: { limit, allowed } },
  );
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

const nothing: Budget['used'] = { steps: 0, toolCalls: 0, tokens: 0 };

/** Creates a budget of which `before` is used; by default, nothing. */
export function createBudget(limits: Limits, before: Budget['used'] = nothing): Budget {
  const used = { ...before };
  const { tokens = Infinity } = limits;

  function take(limit: 'steps' | 'toolCalls'): CuelineError | undefined {
    if (used[limit] >= limits[limit]) return budgetExceededError(limit, limits[limit]);
    used[limit] += 1;
    return undefined;
  }

  return {
    limits,
    used,
    // another agent may have used the last tokens meanwhile
    takeStep: () => (used.tokens >= tokens ? budgetExceededError('tokens', tokens) : take('steps')),
    takeToolCall: () => take('toolCalls'),
    addTokens(usage) {
      used.tokens = Math.min(used.tokens + totalOf(usage), Number.MAX_SAFE_INTEGER);
    },
  };
}
