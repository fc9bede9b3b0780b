// Evals with more cases than a link or a file may add.
import { beforeEach, expect, test } from 'vitest';
import type { EvalSettings } from '../../src/evals/eval-settings.ts';
import { openCaseFile } from '../../src/evals/open-case-file.ts';
import { sampleEval } from '../../src/evals/sample-eval.ts';
import { useEvals } from '../../src/evals/store.ts';
import { mergeEvals } from '../../src/evals/stored-evals.ts';

const initial = useEvals.getState();
beforeEach(() => useEvals.setState(initial, true));

const many = (count: number): EvalSettings['cases'] =>
  Array.from({ length: count }, (_, at) => ({ id: `case-${at}`, input: { TEXT: `${at}` }, expect: '' }));

test('a file adds no case to an eval that has more cases than the maximum', async () => {
  const { change, addCase } = useEvals.getState();
  change({ cases: many(2_000) });
  addCase();
  await openCaseFile(new File(['TEXT,expect\none,A\ntwo,B\nthree,C\n'], 'more.csv'));
  expect(useEvals.getState().settings.cases).toHaveLength(2_001);
});

test('no case is lost when two tabs together add more cases than the maximum', () => {
  const store = (cases: EvalSettings['cases']) => ({
    documents: [{ id: 'own', isOwn: true, content: { ...sampleEval, cases } }],
    shown: 'own',
  });
  const before = many(1_999);
  const added = (id: string) => [...before, { id, input: {}, expect: '' }];
  const merged = mergeEvals(store(before), store(added('mine')), store(added('theirs')));
  const ids = merged.documents[0]!.content.cases.map(({ id }) => id);
  expect(ids).toHaveLength(2_001);
  expect(ids).toEqual(expect.arrayContaining(['mine', 'theirs']));
});
