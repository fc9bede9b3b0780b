import { createElement, type ComponentType } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { lazyComponent } from '../../src/panes/lazy-component.tsx';

const Named = ({ name }: { name: string }) => createElement('b', undefined, name);

/** The page with a component that loads later. */
function draw(Later: ComponentType<{ name: string }>): string {
  return renderToString(createElement(Later, { name: 'Ada' }));
}

test('a component that was loaded ahead is drawn at once, without its placeholder', async () => {
  expect(draw(lazyComponent(async () => Named, 'loading'))).toContain('loading');
  const Later = lazyComponent(async () => Named, 'loading');
  await Later.load();
  expect(draw(Later)).toContain('<b>Ada</b>');
});

test('a component that could not be loaded is loaded again', async () => {
  let online = false;
  const Later = lazyComponent(async () => {
    if (!online) throw new Error('offline');
    return () => createElement('b', undefined, 'loaded');
  });
  await expect(Later.load()).rejects.toThrow('offline');
  online = true;
  await Later.load();
  expect(renderToString(createElement(Later))).toContain('loaded');
});
