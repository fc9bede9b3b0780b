// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { beforeEach, expect, test } from 'vitest';
import { EvalForm } from '../../src/evals/eval-form.tsx';
import { useEvals } from '../../src/evals/store.ts';
import { defaultConnection } from '../../src/model/connection.ts';
import { usePrompts } from '../../src/prompts/store.ts';
import { enter, openRoot } from '../drawn.ts';

const { page, draw } = openRoot();
const initial = useEvals.getState();
beforeEach(() => act(() => useEvals.setState(initial, true)));

const settings = () => useEvals.getState().settings;
function Form() {
  useEvals();
  const { entries } = usePrompts();
  const prompts = entries.map(({ prompt }) => prompt);
  return createElement(EvalForm, { settings: settings(), prompts, connection: defaultConnection });
}
const selects = () => [...page.querySelectorAll('select')];

test('a scorer keeps its text while the user tries other kinds', () => {
  useEvals.getState().change({ scorers: [{ kind: 'judge', value: 'Friendly.' }] });
  draw(createElement(Form));
  enter(selects().at(-1)!, 'closeTo');
  enter(selects().at(-1)!, 'jsonEquals');
  enter(selects().at(-1)!, 'judge');
  expect(settings().scorers).toEqual([{ kind: 'judge', value: 'Friendly.' }]);
});

test('the chosen versions come back when the user returns from another prompt', () => {
  draw(createElement(Form));
  const { prompt } = settings();
  act(() => useEvals.getState().change({ versions: ['1.0.0', '9.9.9'] }));
  const other = [...selects()[0]!.options].map(({ value }) => value).find((id) => id !== prompt)!;
  enter(selects()[0]!, other);
  expect(settings().prompt).toBe(other);
  expect(settings().versions).not.toContain('9.9.9');
  enter(selects()[0]!, prompt);
  expect(settings().versions).toEqual(['1.0.0', '9.9.9']);
});

test('the focus stays beside the conditions when the last of them is removed', () => {
  const equals = { kind: 'equals', value: '' } as const;
  act(() => useEvals.getState().change({ scorers: [equals, { kind: 'judge', value: 'Friendly.' }] }));
  draw(createElement(Form));
  const remove = page.querySelector<HTMLButtonElement>('[aria-label="Remove condition 2"]')!;
  remove.focus();
  act(() => remove.click());
  expect(settings().scorers).toEqual([equals]);
  expect(document.activeElement?.textContent).toBe('Add a condition');
});
