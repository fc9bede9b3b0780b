// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultConnection } from '../../src/model/connection.ts';
import { ModelDialog } from '../../src/settings/model-dialog.tsx';
import { usePlayground } from '../../src/state/store.ts';
import { enter, openRoot } from '../drawn.ts';

const { draw } = openRoot();
beforeEach(() => {
  usePlayground.setState(usePlayground.getInitialState(), true);
  usePlayground.setState({ connection: { ...defaultConnection, kind: 'openai' } });
  draw(createElement(ModelDialog));
});
afterEach(() => {
  act(() => void usePlayground.setState({ modelDialogOpen: false }));
  draw(null);
});

const openDialog = async (): Promise<void> => {
  await act(async () => usePlayground.setState({ modelDialogOpen: true }));
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
};
const clickBeside = (): Promise<void> =>
  act(async () => {
    for (const name of ['pointerdown', 'pointerup', 'click'])
      document.body.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true }));
  });
const type = (text: string): void =>
  enter(document.querySelector<HTMLInputElement>('[role=dialog] input[placeholder="sk-…"]')!, text);
const isOpen = () => usePlayground.getState().modelDialogOpen;

test('a click beside the dialog closes it, unless a pasted key would be lost', async () => {
  await openDialog();
  type('sk-1');
  await clickBeside();
  expect(isOpen()).toBe(true);
  type('');
  await clickBeside();
  expect(isOpen()).toBe(false);
});

test('a discarded key does not keep the dialog open the next time', async () => {
  await openDialog();
  type('sk-1');
  await act(async () =>
    [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Cancel')!.click(),
  );
  await openDialog();
  await clickBeside();
  expect(isOpen()).toBe(false);
});
