import { PromptProvider, usePrompt } from '@cueline/react';
import { version, type ReactElement } from 'react';
import { version as domVersion } from 'react-dom';
import { expect, test } from 'vitest';

// Which of the projects of vite.config.ts this is.
const build = (import.meta as { env?: Record<string, unknown> }).env?.CUELINE_REACT;

function Component({ name }: { name: string }): ReactElement {
  return <p>{name}</p>;
}

/** What the compiler makes of a component or a hook keeps its values in an array: `const $ = _c(4)`. */
function isCompiled(code: () => unknown): boolean {
  return /const \$ = _?c\(\d+\)/.test(code.toString());
}

test('the tests run with the React that their project names', () => {
  const major = build === '18' ? '18' : '19';
  expect([version.split('.')[0], domVersion.split('.')[0]]).toEqual([major, major]);
});

test('only one project compiles', () => {
  const compiled = [Component, PromptProvider, usePrompt].map((code) => isCompiled(code as () => unknown));
  expect(compiled).toEqual(compiled.map(() => build === 'compiled'));
});
