import { createElement, Suspense } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { loadLater } from '../../src/ui/load-later.tsx';

test('a component is drawn without the fallback once it has loaded', async () => {
  const Later = loadLater(
    async () =>
      ({ name }: { name: string }) =>
        createElement('b', undefined, name),
  );
  const draw = (): string =>
    renderToString(createElement(Suspense, { fallback: 'loading' }, createElement(Later, { name: 'Ada' })));
  expect(draw()).toContain('loading');
  await Later.load();
  expect(draw()).toContain('<b>Ada</b>');
  expect(draw()).not.toContain('loading');
});

test('a component that could not be loaded is loaded again', async () => {
  let online = false;
  const Later = loadLater(async () => {
    if (!online) throw new Error('offline');
    return () => createElement('b', undefined, 'loaded');
  });
  await expect(Later.load()).rejects.toThrow('offline');
  online = true;
  await Later.load();
  expect(renderToString(createElement(Later))).toContain('loaded');
});
