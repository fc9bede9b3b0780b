import { CuelineError } from '../base/errors.ts';
import { totalOf, type TokenUsage } from '../log/step.ts';
import { suggestion } from '../base/check-names.ts';
import type { Limits } from '../prompt/prompt-options.ts';

/** The limits of a run whose options name none. */
export const defaultLimits: Limits = {
  steps: 50,
  toolCalls: 200,
  toolCallsPerStep: 32,
  concurrentToolCalls: 8,
  depth: 5,
};

/** The default of `steps` where `stopWhen` says when a run is finished: far more than it needs, but it may never get there. */
const STEPS_WITH_STOP_WHEN = 1_000;

/** What a run has used of its limits so far. One budget is shared by a run and all its agents. */
export type Budget = {
  readonly limits: Limits;
  readonly used: Readonly<{ steps: number; toolCalls: number; tokens: number }>;
  /** Before each model call. An error means that the call may not be made; it is then not counted. */
  takeStep(): CuelineError | undefined;
  /** Before each tool call. An error means that the call may not be made; it is then not counted. */
  takeToolCall(): CuelineError | undefined;
  /** After each model call, with what the provider has reported. Where that was the last, no other call begins. */
  addTokens(usage: TokenUsage): void;
};

/** The least that each limit may be set to. With none of the others, a run could never end or never begin. */
const lowest: Record<keyof Limits, 0 | 1> = {
  steps: 1,
  toolCalls: 0,
  toolCallsPerStep: 1,
  concurrentToolCalls: 1,
  depth: 0,
  tokens: 1,
};

/** The limits that `options.limits` asks for, with the defaults for the rest. @throws CuelineError `invalid_options` */
export function readLimits(given: Partial<Limits> | undefined, hasStopWhen = false): Limits {
  const limits = { ...defaultLimits, ...(hasStopWhen ? { steps: STEPS_WITH_STOP_WHEN } : {}) };
  if (given === undefined) return limits;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new CuelineError(
      'invalid_options',
      `options.limits is ${formatLimit(given)}. Write an object such as { steps: 100 }.`,
      { details: { option: 'limits' } },
    );
  }
  for (const [name, value] of Object.entries(given)) {
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
        `options.limits.${name} is ${formatLimit(value)}. Give a whole number from ${lowest[name]} on, or Infinity for no limit.`,
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

/** A limit beyond which there is an error; calls beyond `concurrentToolCalls` wait. */
type HardLimit = Exclude<keyof Limits, 'concurrentToolCalls'>;

const reached: Record<HardLimit, (allowed: number) => string> = {
  steps: (allowed) => `The run has called the model ${times(allowed)}, its agents included`,
  toolCalls: (allowed) => `The run has made ${counted(allowed, 'tool call')}, its agents included`,
  toolCallsPerStep: (allowed) => `One step may make ${counted(allowed, 'tool call')}, and this is one more`,
  depth: (allowed) => `Agents may go ${counted(allowed, 'level')} deep, and this is one more`,
  tokens: (allowed) =>
    `The run has used the ${counted(allowed, 'token')} that it may use, its agents included`,
};

/** The `budget_exceeded` error of a limit: what was reached, and what to type where that is too little. */
export function budgetExceeded(limit: HardLimit, allowed: number): CuelineError {
  return new CuelineError(
    'budget_exceeded',
    `${reached[limit](allowed)}. Where that is too little, raise options.limits.${limit}; Infinity means no limit.`,
    { details: { limit, allowed } },
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** A budget of which nothing has been used. */
export function createBudget(limits: Limits): Budget {
  const used = { steps: 0, toolCalls: 0, tokens: 0 };
  const { tokens = Infinity } = limits;

  function take(limit: 'steps' | 'toolCalls'): CuelineError | undefined {
    if (used[limit] >= limits[limit]) return budgetExceeded(limit, limits[limit]);
    used[limit] += 1;
    return undefined;
  }

  return {
    limits,
    used,
    // another agent may have used the last token meanwhile
    takeStep: () => (used.tokens >= tokens ? budgetExceeded('tokens', tokens) : take('steps')),
    takeToolCall: () => take('toolCalls'),
    addTokens(usage) {
      used.tokens = Math.min(used.tokens + totalOf(usage), Number.MAX_SAFE_INTEGER);
    },
  };
}
