// @vitest-environment happy-dom
import { act, createElement, type ReactNode } from 'react';
import { expect, test } from 'vitest';
import { useKeptFocus } from '../../src/layout/use-kept-focus.ts';
import { openRoot } from '../drawn.ts';

const { draw } = openRoot();

function Page({ children }: { children?: ReactNode }) {
  useKeptFocus();
  return createElement('main', null, children);
}

const pane = (name: string, ...content: ReactNode[]) =>
  createElement('section', { key: name, 'aria-label': name, tabIndex: -1 }, ...content);
const button = (name: string) => createElement('button', { key: name, id: name }, name);
const loading = createElement('div', { key: 'loading', 'aria-busy': true });

const show = (...content: ReactNode[]) => draw(createElement(Page, null, ...content));
const focused = () => document.activeElement?.getAttribute('aria-label');
/** Waits longer than the page does before it moves the focus. */
const pause = () => act(() => new Promise((resolve) => setTimeout(resolve, 150)));

test('the focus stays in a pane whose button is removed', async () => {
  show(pane('Script'), pane('Run', button('stop')));
  document.getElementById('stop')!.focus();
  show(pane('Script'), pane('Run'));
  await pause();
  expect(focused()).toBe('Run');
});

test('the focus goes to the pane of a menu whose button is removed', async () => {
  const panes = (...content: ReactNode[]) => [pane('Script'), pane('Run', ...content)];
  const menu = createElement(
    'div',
    { key: 'menu', role: 'menu', 'aria-labelledby': 'actions' },
    button('again'),
  );
  show(...panes(button('actions')));
  document.querySelector<HTMLElement>('[aria-label=Script]')!.focus();
  // a mouse opens a menu without a focus on its button
  show(...panes(button('actions')), menu);
  document.getElementById('again')!.focus();
  show(...panes());
  await pause();
  expect(focused()).toBe('Run');
});

test('the focus returns to a pane that had it itself when a menu without a button closes', async () => {
  const panes = [pane('Script'), pane('Run')];
  show(...panes);
  document.querySelector<HTMLElement>('[aria-label=Run]')!.focus();
  show(...panes, createElement('div', { key: 'menu', role: 'menu' }, button('again')));
  document.getElementById('again')!.focus();
  show(...panes);
  await pause();
  expect(focused()).toBe('Run');
});

test('the focus waits for the first pane while the code of panes loads', async () => {
  show(pane('Results', button('open')));
  document.getElementById('open')!.focus();
  show(loading, pane('Timeline'));
  await pause();
  expect(document.activeElement).toBe(document.body);
  show(pane('Prompts'), pane('Timeline'));
  await pause();
  expect(focused()).toBe('Prompts');
});
