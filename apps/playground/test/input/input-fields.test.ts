// @vitest-environment happy-dom
import { act, createElement, useState } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT, type Draft } from '../../src/input/draft.ts';
import type { FieldOf } from '../../src/input/field-props.ts';
import { InputFields } from '../../src/input/input-fields.tsx';
import { toField } from '../../src/input/schema-fields.ts';
import { InputForm } from '../../src/panes/input-form.tsx';
import {
  showScriptReport,
  showInputIssues,
  takeScriptInput,
  useScriptInput,
} from '../../src/state/script-input.ts';
import { enter, openRoot } from '../drawn.ts';

const script = "export default definePrompt('plan', (prompt, input) => {}, { input: schema });";
const { page, draw } = openRoot();
const member = (kind: string) => ({
  type: 'object',
  properties: { kind: { const: kind }, note: { type: 'string' } },
  required: ['kind', 'note'],
});
const union = { oneOf: [member('card'), member('cash'), member('transfer')] };

beforeEach(() => useScriptInput.setState(useScriptInput.getInitialState(), true));
afterEach(() => draw(null));

/** Shows the form of an input with these members. */
function show(properties: object): void {
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  act(() => showScriptReport({ name: 'plan', input: { kind: 'schema', schema } }));
  draw(createElement(InputForm, { field: useScriptInput.getState().field! }));
}
const description = (element: Element | null): string | null | undefined =>
  document.getElementById(element?.getAttribute('aria-describedby') ?? '')?.textContent;

test('Run focuses a list that needs an item, and the list is described by its problem', () => {
  show({ name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' }, minItems: 1 } });
  act(() => useScriptInput.getState().setDraft({ name: 'Ada' }, 'input.name'));
  act(() => expect(takeScriptInput(script)).toBeUndefined());
  const group = page.querySelector('fieldset');
  expect(document.activeElement).toBe(group);
  expect(description(group)).toMatch(/\w/);
});

test('Run focuses the choice of a union that has no kind yet', () => {
  show({ pay: union });
  act(() => expect(takeScriptInput(script)).toBeUndefined());
  const kind = page.querySelector('select');
  expect(document.activeElement).toBe(kind);
  expect(description(kind)).toMatch(/\w/);
});

test('a box is described by its problem', () => {
  show({ sure: { type: 'boolean', default: false } });
  act(() => showInputIssues([{ path: 'input.sure', message: 'Must be ticked' }]));
  const box = page.querySelector('[type=checkbox]');
  expect(box?.getAttribute('aria-invalid')).toBe('true');
  expect(description(box)).toBe('Must be ticked.');
});

test('the text typed for one kind of a union comes back after the user tries another', () => {
  const field = toField({
    type: 'object',
    properties: { pay: union },
    required: ['pay'],
  }) as FieldOf<'object'>;
  function Form() {
    const [draft, setDraft] = useState<Draft>({ pay: { variant: 0, value: { note: 'Ada' } } } as Draft);
    return createElement(InputFields, { field, draft, path: ROOT, problems: new Map(), onDraft: setDraft });
  }
  draw(createElement(Form));
  const choose = (value: string): void => enter(page.querySelector('select')!, value);
  const note = () => page.querySelector<HTMLTextAreaElement>('textarea, input')?.value;
  expect(note()).toBe('Ada');
  choose('1');
  expect(note()).toBe('');
  choose('');
  choose('0');
  expect(note()).toBe('Ada');
});
