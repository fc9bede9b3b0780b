import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLoopGuard, type LoopCall, type LoopGuard } from '../../src/tool-calls/loop-guard.ts';
import { failOnUnhandledRejections } from '../support/agent-trees.ts';

failOnUnhandledRejections();

const read = (path: string): LoopCall => ({ toolName: 'read', input: { path }, effect: 'read' });
const write = (text: string): LoopCall => ({ toolName: 'write', input: { text }, effect: 'write' });

/** Makes a call as the runner does, with this result or this error, and returns the outcome. */
async function make(guard: LoopGuard, call: LoopCall, result: unknown = 'ok'): Promise<string> {
  const { verdict, settled } = guard.check(call);
  settled(result instanceof Error ? Promise.reject(result) : Promise.resolve(result));
  // what the guard does about a result is done when the next step begins
  await Promise.resolve();
  return verdict.kind;
}

async function makeAll(guard: LoopGuard, calls: readonly LoopCall[]): Promise<string[]> {
  const verdicts: string[] = [];
  for (const call of calls) verdicts.push(await make(guard, call));
  return verdicts;
}

describe('identical calls', () => {
  test('differ by tool and arguments', async () => {
    const calls = [read('a'), read('b'), { ...read('a'), toolName: 'list' }];
    expect(await makeAll(createLoopGuard(), calls)).toEqual(['run', 'run', 'run']);
  });
});

describe('failed calls', () => {
  test('do not undo later calls if they fail late', async () => {
    const guard = createLoopGuard();
    let fail: (reason: Error) => void = () => {};
    guard.check(read('a')).settled(new Promise((_resolve, reject) => (fail = reject)));
    await make(guard, write('x'));
    expect(await make(guard, read('a'))).toBe('run');
    fail(new Error('late'));
    await Promise.resolve();
    expect(await make(guard, read('a'))).toBe('repeat');
  });

  test('leave no rejection unhandled', async () => {
    const guard = createLoopGuard();
    guard.check(read('a')).settled(Promise.reject(new Error('not there')));
    expect(guard.check(read('a')).verdict.kind).toBe('repeat');
  });
});

describe('identical calls in one step', () => {
  test('both fail if the first fails, and then neither counts', async () => {
    const guard = createLoopGuard();
    const failure = new Error('not there');
    guard.check(read('a')).settled(Promise.reject(failure));
    const { verdict } = guard.check(read('a'));
    if (verdict.kind !== 'repeat') throw new Error(verdict.kind);
    await expect(verdict.output).rejects.toBe(failure);
    expect(await make(guard, read('a'))).toBe('run');
    expect(await make(guard, read('a'))).toBe('repeat');
  });

  test('both run by default', () => {
    const guard = createLoopGuard();
    guard.check(read('a'));
    expect(guard.check(read('a')).verdict).toEqual({ kind: 'run' });
    expect(guard.check(read('a')).verdict.kind).toBe('refuse');
  });
});

describe('progress', () => {
  test.each<[string, LoopCall[], string[]]>([
    [
      'lets a file be read again after each write',
      [read('a'), write('1'), read('a'), write('2'), read('a'), read('a')],
      ['run', 'run', 'run', 'run', 'run', 'repeat'],
    ],
    [
      'includes tools without a declared effect',
      [read('a'), { toolName: 'act', input: {} }, read('a')],
      ['run', 'run', 'run'],
    ],
    ['does not include reading something else', [read('a'), read('b'), read('a')], ['run', 'run', 'repeat']],
    [
      'does not reset the count of the call itself',
      [write('x'), write('x'), write('y'), write('y')],
      ['run', 'repeat', 'run', 'repeat'],
    ],
  ])('%s', async (_what, calls, expected) => {
    expect(await makeAll(createLoopGuard(), calls)).toEqual(expected);
  });

  test.each<[string, LoopCall, LoopCall, string[]]>([
    ['two alternating reads', read('a'), read('b'), ['run', 'run', 'repeat', 'repeat', 'refuse', 'refuse']],
    [
      'alternating reads and writes',
      read('a'),
      write('x'),
      ['run', 'run', 'run', 'repeat', 'repeat', 'refuse'],
    ],
    ['two alternating writes', write('x'), write('y'), ['run', 'run', 'run', 'repeat', 'repeat', 'refuse']],
  ])('does not include a repeated cycle of %s', async (_what, one, other, expected) => {
    const guard = createLoopGuard();
    expect(await makeAll(guard, [one, other, one, other, one, other])).toEqual(expected);
    const rest = await makeAll(guard, Array.from({ length: 4 }, () => [one, other]).flat());
    expect(rest).toContain('end');
  });

  test('resets reads that happened during a write when the write succeeds', async () => {
    const guard = createLoopGuard();
    let finish: (output: string) => void = () => {};
    guard.check(write('x')).settled(new Promise((resolve) => (finish = resolve)));
    expect(await make(guard, read('a'))).toBe('run');
    finish('written');
    await Promise.resolve();
    expect(await make(guard, read('a'))).toBe('run');
  });

  test('includes a write that succeeds after a failure, but not one that keeps failing', async () => {
    const guard = createLoopGuard();
    const failure = new Error('locked');
    expect(await make(guard, read('a'))).toBe('run');
    expect(await make(guard, write('x'), failure)).toBe('run');
    expect(await make(guard, read('a'))).toBe('run');
    expect(await make(guard, write('x'), failure)).toBe('run');
    expect(await make(guard, read('a'))).toBe('repeat');
    expect(await make(guard, write('x'))).toBe('run');
    expect(await make(guard, read('a'))).toBe('run');
  });
});

test('only the last 500 calls are remembered, and a repeated call counts as the last', async () => {
  const guard = createLoopGuard();
  const others = Array.from({ length: 498 }, (_none, index) => read(`file ${index}`));
  await makeAll(guard, [read('kept'), read('dropped'), read('kept'), ...others]);
  expect(await make(guard, read('file 0'))).toBe('repeat');
  // the 501st, in whose place the one goes that was made longest ago
  await make(guard, read('one more'));
  expect(await make(guard, read('kept'))).toBe('refuse');
  expect(await make(guard, read('dropped'))).toBe('run');
});

test('for any cycle of few calls, the run ends', async () => {
  const calls = [read('a'), read('b'), write('x'), write('y'), { toolName: 'act', input: 1 }];
  const choices = fc.infiniteStream(fc.nat(calls.length - 1));
  await fc.assert(
    fc.asyncProperty(choices, async (stream) => {
      const guard = createLoopGuard();
      const ran = new Map<number, number>();
      let made = 0;
      for (const choice of stream) {
        made += 1;
        const verdict = await make(guard, calls[choice]!);
        if (verdict === 'run') ran.set(choice, (ran.get(choice) ?? 0) + 1);
        if (verdict === 'end') break;
      }
      // each of the three that change something is progress once, so none runs more often than once, and after each
      // of these
      expect(Math.max(...ran.values())).toBeLessThanOrEqual(4);
      expect(made).toBeLessThanOrEqual(4 * 5 * calls.length + 1);
    }),
  );
});
