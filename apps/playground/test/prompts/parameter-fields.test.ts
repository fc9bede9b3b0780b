// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { expect, test } from 'vitest';
import type { EditableParameter } from '../../src/prompts/editable-prompt.ts';
import { ParameterFields } from '../../src/prompts/parameter-fields.tsx';
import { entryOf, usePrompts } from '../../src/prompts/store.ts';
import { enter, openRoot } from '../drawn.ts';

const { page, draw } = openRoot();

const parameter = (): EditableParameter => entryOf(usePrompts.getState()).prompt.systemPromptParameters[0]!;
function Form() {
  usePrompts();
  return createElement(ParameterFields, {
    list: 'systemPromptParameters',
    index: 0,
    parameter: parameter(),
    problem: () => undefined,
    onRemove: () => {},
    nameRef: null,
  });
}
const choose = (value: string): void => enter(page.querySelector('select')!, value);

test('a parameter keeps its default and its allowed values while the user tries other types', () => {
  const agent: EditableParameter = {
    name: 'AGENT',
    type: 'string',
    defaultValue: '007',
    allowedValues: ['007', '008'],
  };
  act(() => usePrompts.getState().edit({ systemPromptParameters: [agent] }));
  draw(createElement(Form));
  for (const type of ['number', 'boolean', 'enum']) choose(type);
  expect(parameter()).toEqual({ ...agent, type: 'enum' });
  choose('number');
  expect(parameter()).toEqual({ ...agent, type: 'number', defaultValue: 7, allowedValues: [7, 8] });
  // what is typed for a type replaces what was remembered
  act(() => usePrompts.getState().edit({ systemPromptParameters: [{ ...parameter(), defaultValue: 8 }] }));
  choose('string');
  expect(parameter()).toMatchObject({ defaultValue: '8', allowedValues: ['7', '8'] });
});
