import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { FieldGroup } from '../../src/input/field-group.tsx';
import { Choose, TextArea, TextInput } from '../../src/ui/form-controls.tsx';

test('a field takes the direction of its text, and one for code does not', () => {
  const text = { label: 'Text', value: 'مرحبا', onText: () => {} };
  for (const draw of [
    (code: boolean) => createElement(TextInput, { ...text, code }),
    (code: boolean) => createElement(TextArea, { ...text, code }),
  ]) {
    expect(renderToStaticMarkup(draw(false))).toContain('dir="auto"');
    expect(renderToStaticMarkup(draw(true))).not.toContain('dir=');
  }
});

test('what another user has named is shown with its hidden characters', () => {
  const name = 'de\u200blete\u202e';
  const text = { label: name, value: '', onText: () => {} };
  const choice = { label: name, value: '', onChoose: () => {}, options: [['', name] as const] };
  const group = { label: name, hint: name, problem: undefined, children: null };
  const fields = [
    createElement(TextInput, { ...text, hint: name }),
    createElement(TextInput, { ...text, problem: name }),
    createElement(Choose, choice),
    createElement(FieldGroup, group),
  ];
  for (const field of fields) {
    const html = renderToStaticMarkup(field);
    expect(html).toContain(String.raw`>de\u200blete\u202e<`);
    expect(html).not.toMatch(/[\u200b\u202e]/);
  }
});
