import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TextArea, TextInput } from '../../src/ui/form-controls.tsx';

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
