// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { beforeEach, expect, test } from 'vitest';
import { CompareVersions } from '../../src/prompts/compare-versions.tsx';
import { emptyPrompt, type EditablePrompt } from '../../src/prompts/editable-prompt.ts';
import { usePrompts } from '../../src/prompts/store.ts';
import { openRoot } from '../drawn.ts';

const { page, draw } = openRoot();
const initial = usePrompts.getState();
beforeEach(() => act(() => usePrompts.setState(initial, true)));

const guest = emptyPrompt('greet');
const answers = () => [...page.querySelectorAll('section')].at(-1)!.textContent;

test.each([
  ['that can run', { ...guest, version: '0.9.0' }, { NAME: 'Ada' }, 'Two calls of the demo model.'],
  ['without values', { ...guest, version: '0.9.0' }, {}, 'Fill in the values of both versions first.'],
  [
    'one of which has faults',
    { ...guest, version: 'abc' },
    { NAME: 'Ada' },
    'A version has faults. Correct what is marked in its form first.',
  ],
  [
    'of two prompts with other parameters',
    {
      ...guest,
      id: 'sort',
      userPrompt: 'Sort {TEXT}.',
      userPromptParameters: guest.userPromptParameters.map((one) => ({ ...one, name: 'TEXT' })),
    },
    { NAME: 'Ada' },
    'sort 1.0.0 needs TEXT, which this version does not have.',
  ],
] satisfies [string, EditablePrompt, Record<string, string>, string][])(
  'beside versions %s is what must be done before they run',
  (_what, other, values, expected) => {
    const entries = [guest, other].map((prompt, index) => ({ key: `${index}`, prompt }));
    act(() => void usePrompts.setState({ entries, selected: '0' }));
    draw(createElement(CompareVersions, { prompt: guest, values }));
    expect(answers()).toContain(expected);
    expect(page.querySelector('button')!.disabled).toBe(!expected.startsWith('Two calls'));
  },
);
