import { createRun, definePrompt, type Run } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { UIMessage } from 'ai';
import { afterEach, expect, test, vi } from 'vitest';
import { createBrowser, type Tab } from '../support/browser.ts';

afterEach(() => vi.unstubAllGlobals());

const talk = definePrompt('talk', (prompt) => prompt.$`Say hello.`);

/** A message with a picture of 9 MB in a data URL. */
const picture: Pick<UIMessage, 'parts'> = {
  parts: [
    { type: 'text', text: 'What is this?' },
    {
      type: 'file',
      mediaType: 'image/png',
      url: `data:image/png;base64,iVBORw0KGgo${'A'.repeat(9_000_000)}=`,
    },
  ],
};

async function openRun(tab: Tab, turns: readonly ScriptedTurn[]): Promise<Run> {
  tab.use();
  const run = createRun(talk, { id: 'talk', storage: tab.storage, model: scriptedModel(turns) });
  await run.restored;
  return run;
}

const until = (condition: () => boolean) =>
  expect.poll(condition, { timeout: 8_000, interval: 10 }).toBe(true);
/** Logs are compared as text, because each difference would be printed. */
const textOf = (run: Pick<Run, 'log'>): string => JSON.stringify(run.log());

test('a run with an event of 9 MB is followed by tabs that are opened before and after it', async () => {
  const browser = createBrowser('large-events');
  const [first, second, third] = [browser.openTab(), browser.openTab(), browser.openTab()] as const;
  const early = await openRun(second, []);
  const run = await openRun(first, ['Hello.', [{ text: 'It is ' }, { delay: 400 }, { text: 'grey.' }]]);
  await run.start();
  await until(() => early.getState().status === 'done');
  const answer = run.send(picture);
  await until(() => early.getState().text.startsWith('It is '));
  const late = await openRun(third, []);
  await until(() => late.getState().text.startsWith('It is '));
  expect(await answer).toBe('It is grey.');
  await until(() => [early, late].every((other) => other.getState().status === 'done'));
  expect(JSON.stringify(run.log()[0]).length).toBeGreaterThan(9_000_000);
  const stored = { log: () => browser.logs.get('talk')! };
  expect(new Set([run, early, late, stored].map(textOf)).size).toBe(1);
}, 30_000);

test('a run with an event of 9 MB is continued by another tab when its own is closed', async () => {
  const browser = createBrowser('large-events-closed');
  const [first, second] = [browser.openTab(), browser.openTab()] as const;
  const heir = await openRun(second, ['It is black.']);
  const run = await openRun(first, ['Hello.', [{ text: 'It is ' }, { delay: 60_000 }]]);
  await run.start();
  run.send(picture).catch(() => {});
  await until(() => heir.getState().text === 'It is ');
  first.kill();
  await until(() => heir.getState().status === 'done' && heir.getState().text === 'It is black.');
  expect(JSON.stringify(heir.log()[0]).length).toBeGreaterThan(9_000_000);
}, 30_000);
