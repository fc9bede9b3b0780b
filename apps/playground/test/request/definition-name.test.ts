import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DefinitionName } from '../../src/request/definition-name.tsx';

const textOf = (name: string): string =>
  renderToStaticMarkup(createElement(DefinitionName, { kind: 'system', name })).replaceAll(/<[^>]*>/g, '');

test('a system part is called by its name, and one without a name “system text”', () => {
  expect(textOf('role')).toBe('system part role');
  expect(textOf('')).toBe('system text');
});
