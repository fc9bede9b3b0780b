// The results of an evaluation, while the eval in the form changes.
import { beforeEach, expect, test } from 'vitest';
import { sampleEval } from '../../src/evals/sample-eval.ts';
import { startEval } from '../../src/evals/start-eval.ts';
import { useEvals, type EvalsState } from '../../src/evals/store.ts';
import { usePlayground } from '../../src/state/store.ts';

const initial = useEvals.getState();
const state = () => useEvals.getState();
beforeEach(() => useEvals.setState(initial, true));

test('an answer becomes the expected one of its case, also after cases were removed or renamed', async () => {
  state().change({ versions: ['1.1.0'], repeat: 1, cases: sampleEval.cases.slice(0, 3) });
  await startEval();
  const [first, second, third] = state().settings.cases;
  state().removeCase(0);
  state().editCase(1, { id: 'renamed' });
  state().expectAnswer(third!.id, 'MINE');
  state().expectAnswer(first!.id, 'REMOVED');
  expect(state().settings.cases).toEqual([
    second,
    { ...third, key: third!.id, id: 'renamed', expect: 'MINE' },
  ]);
});

test.each<[string, string, (now: EvalsState) => void]>([
  ['a link with results', '1.0.0', ({ replace }) => replace({ ...sampleEval, repeat: 3 }, [])],
  ['the eval of another prompt', '1.1.0', ({ openEvalOf }) => openEvalOf('answer-guest', '1.0.0')],
])('opening %s ends the running evaluation, whose results are dropped', async (_, version, open) => {
  // texts that have not run yet
  const texts = Array.from({ length: 9 }, () => crypto.randomUUID());
  const cases = texts.map((text) => ({ id: text, input: { TEXT: text }, expect: 'NEUTRAL' }));
  state().change({ versions: [version], repeat: 1, concurrency: 1, cases });
  let opened: EvalsState['evaluation'];
  const stop = useEvals.subscribe(({ evaluation }) => {
    if (evaluation === undefined || evaluation.results.size === 0) return;
    stop();
    open(state());
    opened = state().evaluation;
  });
  await startEval();
  expect(state().evaluation).toBe(opened);
  expect(opened?.results.size ?? 0).toBe(0);
  expect(usePlayground.getState().evaluating).toBe(false);

  // what has ended is kept, and the rest was not run
  state().restore();
  state().change({ concurrency: 20 });
  await startEval();
  const stored = [...state().evaluation!.results.values()].filter((result) => result.stored);
  expect(stored.length).toBeGreaterThan(0);
  expect(stored.length).toBeLessThan(state().evaluation!.results.size);
});
