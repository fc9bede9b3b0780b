import { CuelineError } from '@cueline/core';
import type { Limits } from '@cueline/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budgetExceededError, createBudget, defaultLimits, readLimits } from '../../src/tool-calls/limits.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return CuelineError.isInstance(error) ? error.toJSON() : error;
  }
  throw new Error('nothing was thrown');
}

describe('readLimits', () => {
  test('returns the defaults', () => {
    const expected = {
      steps: 50,
      toolCalls: 200,
      toolCallsPerStep: 32,
      concurrentToolCalls: 8,
      depth: 5,
    };
    expect(readLimits(undefined)).toEqual(expected);
    expect(readLimits({})).toEqual(expected);
  });

  test('allows a thousand steps with stopWhen, or as many as the limits say', () => {
    expect(readLimits(undefined, true)).toEqual({ ...defaultLimits, steps: 1_000 });
    expect(readLimits({ steps: undefined }, true).steps).toBe(1_000);
    expect(readLimits({ steps: Infinity }, true).steps).toBe(Infinity);
    expect(readLimits({ toolCalls: 7 })).toEqual({ ...defaultLimits, toolCalls: 7 });
  });

  test('replaces defaults by given limits, except undefined', () => {
    const given = { steps: 3, toolCalls: 0, depth: 0, tokens: 1_000, toolCallsPerStep: undefined };
    expect(readLimits(given as object)).toEqual({
      steps: 3,
      toolCalls: 0,
      toolCallsPerStep: 32,
      concurrentToolCalls: 8,
      depth: 0,
      tokens: 1_000,
    });
  });

  test('returns a copy', () => {
    const given = { steps: 3 };
    readLimits(given).steps = 7;
    readLimits(undefined).depth = 7;
    expect([given.steps, defaultLimits.depth, readLimits(undefined).depth]).toEqual([3, 5, 5]);
  });

  test('turns a limit off for Infinity', () => {
    const off = {
      steps: Infinity,
      toolCalls: Infinity,
      toolCallsPerStep: Infinity,
      concurrentToolCalls: Infinity,
      depth: Infinity,
      tokens: Infinity,
    };
    expect(readLimits(off)).toEqual(off);
  });

  test.each<[keyof Limits, unknown, shown: string, least: number]>([
    ['steps', 0, '0', 1],
    ['toolCalls', -1, '-1', 0],
    ['depth', 1.5, '1.5', 0],
    ['tokens', '9', '"9"', 1],
    ['concurrentToolCalls', 0, '0', 1],
    ['toolCallsPerStep', Number.NaN, 'NaN', 1],
    ['steps', null, 'null', 1],
    ['steps', [9], 'an array', 1],
    ['steps', { n: 9 }, 'an object', 1],
    ['steps', -Infinity, '-Infinity', 1],
  ])('refuses %s: %o', (name, value, shown, least) => {
    expect(thrownBy(() => readLimits({ [name]: value }))).toEqual({
      code: 'invalid_options',
      message: `options.limits.${name} is ${shown}. Give a whole number of at least ${least}, or Infinity for no limit.`,
      details: { option: `limits.${name}` },
    });
  });

  test.each([
    ['step', 'Did you mean steps?'],
    ['__proto__', 'There are: steps, toolCalls, toolCallsPerStep, concurrentToolCalls, depth, tokens.'],
    ['constructor', 'There are: steps, toolCalls, toolCallsPerStep, concurrentToolCalls, depth, tokens.'],
  ])('refuses an unknown name: %s', (name, advice) => {
    const given = JSON.parse(`{"${name}":1}`) as object;
    expect(thrownBy(() => readLimits(given))).toEqual({
      code: 'invalid_options',
      message: `options.limits has no "${name}". ${advice}`,
      details: { option: `limits.${name}` },
    });
  });

  test.each<[unknown, string]>([
    [50, '50'],
    [null, 'null'],
    [[50], 'an array'],
  ])('refuses a value that is not an object: %o', (given, shown) => {
    expect(thrownBy(() => readLimits(given as Limits))).toEqual({
      code: 'invalid_options',
      message: `options.limits is ${shown}. Write an object such as { steps: 100 }.`,
      details: { option: 'limits' },
    });
  });
});

describe('createBudget', () => {
  test('allows steps up to the limit, and then throws an error that says what to type', () => {
    const budget = createBudget(readLimits({ steps: 2 }));
    expect([budget.takeStep(), budget.takeStep()]).toEqual([undefined, undefined]);
    expect(budget.takeStep()?.toJSON()).toEqual({
      code: 'budget_exceeded',
      message:
        'The run has called the model 2 times, its agents included. If that is too low, raise options.limits.steps; Infinity means no limit.',
      details: { limit: 'steps', allowed: 2 },
    });
    expect(budget.used).toEqual({ steps: 2, toolCalls: 0, tokens: 0 });
  });

  test('allows tool calls up to the limit', () => {
    const budget = createBudget(readLimits({ toolCalls: 1 }));
    expect(budget.takeToolCall()).toBeUndefined();
    expect(budget.takeToolCall()?.toJSON()).toEqual({
      code: 'budget_exceeded',
      message:
        'The run has made 1 tool call, its agents included. If that is too low, raise options.limits.toolCalls; Infinity means no limit.',
      details: { limit: 'toolCalls', allowed: 1 },
    });
    expect(createBudget(readLimits({ toolCalls: 0 })).takeToolCall()?.details).toEqual({
      limit: 'toolCalls',
      allowed: 0,
    });
  });

  test('lets the last step use up the tokens, and starts no step without any', () => {
    const spent = {
      code: 'budget_exceeded',
      message:
        'The run has used the 100 tokens that it may use, its agents included. If that is too low, raise options.limits.tokens; Infinity means no limit.',
      details: { limit: 'tokens', allowed: 100 },
    };
    const budget = createBudget(readLimits({ tokens: 100 }));
    expect(budget.takeStep()).toBeUndefined();
    budget.addTokens({ totalTokens: 100 });
    expect(budget.takeStep()?.toJSON()).toEqual(spent);
    budget.addTokens({ totalTokens: 1 });
    expect(budget.used).toEqual({ steps: 1, toolCalls: 0, tokens: 101 });
  });

  test('ignores impossible token counts', () => {
    const budget = createBudget(readLimits(undefined));
    for (const count of [Number.NaN, -5, 0, undefined, Infinity, 1e308, '57', 2 ** 60] as number[]) {
      budget.addTokens({ totalTokens: count });
      budget.addTokens({ inputTokens: count, outputTokens: count });
    }
    expect(budget.used.tokens).toBe(0);
    // where the sum is none, what it is made of may be
    budget.addTokens({ inputTokens: '5' as never, outputTokens: 7, totalTokens: '57' as never });
    expect(budget.used.tokens).toBe(7);
    for (const _ of [1, 2]) budget.addTokens({ totalTokens: Number.MAX_SAFE_INTEGER });
    expect(budget.used.tokens).toBe(Number.MAX_SAFE_INTEGER);
    expect(budget.takeStep()).toBeUndefined();
  });

  test('never ends with Infinity', () => {
    const budget = createBudget(readLimits({ steps: Infinity, toolCalls: Infinity, tokens: Infinity }));
    for (let step = 0; step < 1_000; step += 1) {
      expect([budget.takeStep(), budget.takeToolCall()]).toEqual([undefined, undefined]);
      budget.addTokens({ totalTokens: 1e9 });
    }
    expect(budget.used).toEqual({ steps: 1_000, toolCalls: 1_000, tokens: 1e12 });
  });

  test('allows exactly the limit, for any requests', () => {
    const asked = fc.array(fc.constantFrom('takeStep', 'takeToolCall'), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(20), asked, (steps, toolCalls, calls) => {
        const budget = createBudget(readLimits({ steps, toolCalls }));
        for (const call of calls) budget[call]();
        const count = (name: string): number => calls.filter((call) => call === name).length;
        expect(budget.used).toEqual({
          steps: Math.min(steps, count('takeStep')),
          toolCalls: Math.min(toolCalls, count('takeToolCall')),
          tokens: 0,
        });
      }),
    );
  });
});

test.each([
  ['toolCallsPerStep', 32, 'One step may make 32 tool calls, and this is one more.'],
  ['depth', 1, 'Agents may go 1 level deep, and this is one more.'],
] as const)('budgetExceeded of %s', (limit, allowed, message) => {
  expect(budgetExceededError(limit, allowed).toJSON()).toEqual({
    code: 'budget_exceeded',
    message: `${message} If that is too low, raise options.limits.${limit}; Infinity means no limit.`,
    details: { limit, allowed },
  });
});
