// Intervals and the comparison with a baseline, checked by simulation.
import {
  compareWithBaseline,
  dropProbability,
  percentile,
  summarize,
  wilsonInterval,
  type EvalReport,
  type EvalResult,
} from '@cueline/core/evals';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomFrom } from '../support/killed-runs.ts';

function reportOf(rates: readonly number[], repeat: number, random: () => number): EvalReport {
  const results = rates.flatMap((rate, index) =>
    Array.from({ length: repeat }, (_, repetition): EvalResult => {
      const passed = random() < rate;
      return {
        caseId: `case-${index}`,
        repetition,
        model: 'm',
        prompt: 'p',
        status: passed ? 'passed' : 'failed',
        input: null,
        scores: [],
        usage: { inputTokens: 0, outputTokens: 0 },
        ms: 0,
        stored: false,
      };
    }),
  );
  const groups = [{ model: 'm', prompt: 'p', ...summarize(results) }];
  return { name: 'e', startedAt: '', ms: 0, threshold: 1, passed: false, aborted: false, groups, results };
}

describe('the interval of a pass rate', () => {
  test.each([
    [0, 0, 0, 1],
    [0, 10, 0, 0.277_5],
    [10, 10, 0.722_5, 1],
    [5, 10, 0.236_6, 0.763_4],
    [81, 100, 0.722_2, 0.874_9],
  ])('of %i of %i', (passed, runs, low, high) => {
    const interval = wilsonInterval(passed, runs);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test('contains the true rate in about 95 % of trials', () => {
    const random = randomFrom(1);
    for (const [rate, runs] of [
      [0.5, 20],
      [0.9, 30],
      [0.97, 50],
    ] as const) {
      let inside = 0;
      for (let trial = 0; trial < 1_000; trial++) {
        const passed = Array.from({ length: runs }, random).filter((value) => value < rate).length;
        const { low, high } = wilsonInterval(passed, runs);
        if (low <= rate && rate <= high) inside += 1;
      }
      expect(inside / 1_000).toBeGreaterThan(0.92);
    }
  });

  test('contains the observed rate, and lies between 0 and 1', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (passed, failed) => {
        const runs = passed + failed;
        const { low, high } = wilsonInterval(passed, runs);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        if (runs > 0) expect(low <= passed / runs && passed / runs <= high).toBe(true);
      }),
    );
  });
});

test.each([
  [[], 0.5, 0],
  [[3], 0.5, 3],
  [[4, 1, 3, 2], 0.5, 2],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.95, 10],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9, 9],
])('a percentile of %j', (values, share, expected) => {
  expect(percentile(values, share)).toBe(expected);
});

describe('the comparison with a baseline', () => {
  test.each([
    // R: phyper(1, 10, 10, 10), phyper(8, 18, 2, 10), phyper(50, 145, 55, 100)
    [{ passed: 9, runs: 10 }, { passed: 1, runs: 10 }, 0.000_547],
    [{ passed: 10, runs: 10 }, { passed: 8, runs: 10 }, 0.236_842],
    [{ passed: 5, runs: 10 }, { passed: 5, runs: 10 }, 0.671_859],
    [{ passed: 0, runs: 10 }, { passed: 0, runs: 10 }, 1],
    [{ passed: 10, runs: 10 }, { passed: 10, runs: 10 }, 1],
  ])('from %j to %j', (before, now, probability) => {
    expect(dropProbability(before, now)).toBeCloseTo(probability, 5);
  });

  test.each([
    ['the same rate in every case', Array.from({ length: 20 }, () => 0.8), 5],
    [
      'cases that always and cases that never pass',
      Array.from({ length: 20 }, (_, n) => (n < 14 ? 1 : 0)),
      5,
    ],
    ['different rates', Array.from({ length: 30 }, (_, n) => (n + 1) / 31), 3],
    ['one run of each case', Array.from({ length: 60 }, () => 0.9), 1],
  ])('reports a drop in at most 5 %% of 1,000 trials without a change: %s', (_, rates, repeat) => {
    const random = randomFrom(7);
    let drops = 0;
    for (let trial = 0; trial < 1_000; trial++) {
      const [baseline, report] = [reportOf(rates, repeat, random), reportOf(rates, repeat, random)];
      if (compareWithBaseline(report, baseline).some(({ dropped }) => dropped)) drops += 1;
    }
    expect(drops).toBeLessThanOrEqual(50);
  });

  test('reports a real drop, and the cases that broke', () => {
    const random = randomFrom(3);
    const before = reportOf(
      Array.from({ length: 20 }, () => 1),
      3,
      random,
    );
    const now = reportOf(
      Array.from({ length: 20 }, (_, index) => (index < 6 ? 0 : 1)),
      3,
      random,
    );
    expect(compareWithBaseline(now, before)).toMatchObject([
      {
        before: { passed: 60, runs: 60 },
        now: { passed: 42, runs: 60 },
        dropped: true,
        broken: { length: 6 },
      },
    ]);
  });

  test('compares only cases of both reports, and a new version with the old one', () => {
    const random = randomFrom(3);
    const [before, now] = [reportOf([1, 1, 1], 2, random), reportOf([1, 1, 1, 0, 0, 0, 0], 2, random)];
    const renamed: EvalReport = {
      ...before,
      groups: before.groups.map((group) => ({ ...group, prompt: 'p@1.0.0' })),
      results: before.results.map((result) => ({ ...result, prompt: 'p@1.0.0' })),
    };
    expect(compareWithBaseline(now, renamed)).toMatchObject([
      { now: { passed: 6, runs: 6 }, before: { passed: 6, runs: 6 }, dropped: false },
    ]);
  });

  test.each([
    // 1 of 6 and 1 of 70 arrangements have no pass among the later half
    [2, [1, 1], true],
    [4, [1, 1, 1, 1], false],
    [2, [0, 0], false],
  ])('says whether %i runs are too few to notice a drop', (_, rates, tooFewRuns) => {
    const before = reportOf(rates, 1, randomFrom(3));
    expect(compareWithBaseline(before, before)).toMatchObject([{ tooFewRuns, dropped: false }]);
  });

  test('needs a case that both reports have', () => {
    const random = randomFrom(3);
    const before = reportOf([1], 1, random);
    const other = { ...before, results: before.results.map((result) => ({ ...result, caseId: 'other' })) };
    expect(() => compareWithBaseline(other, before)).toThrow('Record a new baseline.');
  });
});
