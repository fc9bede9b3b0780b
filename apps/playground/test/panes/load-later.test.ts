import { createElement, Suspense, type ComponentType } from 'react';
import { renderToString } from 'react-dom/server';
import { prerender } from 'react-dom/static.edge';
import { expect, test } from 'vitest';
import { loadLater } from '../../src/panes/load-later.tsx';

const Named = ({ name }: { name: string }) => createElement('b', undefined, name);

/** The page with a component that loads later. */
function draw(Later: ComponentType<{ name: string }>): string {
  return renderToString(
    createElement(Suspense, { fallback: 'loading' }, createElement(Later, { name: 'Ada' })),
  );
}

test('a component that was loaded ahead is drawn at once, without the fallback', async () => {
  expect(draw(loadLater(async () => Named))).toContain('loading');
  const Later = loadLater(async () => Named);
  await Later.load();
  expect(draw(Later)).toContain('<b>Ada</b>');
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

test('in the place of a component whose code does not arrive, the page says so', async () => {
  const Later = loadLater(() => Promise.reject<ComponentType>(new Error('offline')));
  const { prelude } = await prerender(createElement(Suspense, undefined, createElement(Later)));
  expect(await new Response(prelude).text()).toContain('could not be loaded. Reload the page.');
});
