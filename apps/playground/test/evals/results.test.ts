// The results of an evaluation, while the eval in the form changes.
import { beforeEach, expect, test } from 'vitest';
import { sampleEval } from '../../src/evals/sample-eval.ts';
import { startEval } from '../../src/evals/start-eval.ts';
import { useEvals } from '../../src/evals/store.ts';

const initial = useEvals.getState();
const state = () => useEvals.getState();
beforeEach(() => useEvals.setState(initial, true));

test('an answer becomes the expected one of its case, whatever cases were removed or renamed since', async () => {
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
