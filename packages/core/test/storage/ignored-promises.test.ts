import process from 'node:process';
import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createBrowser } from '../support/browser.ts';
import { after } from '../support/runs.ts';

afterEach(() => vi.unstubAllGlobals());

const chat = definePrompt('chat', (prompt) => prompt.defSystem('role', 'You chat.'));

test('a message and a retry that fail or are stopped may be ignored in a run that tabs share', async () => {
  const unhandled = vi.fn<(error: unknown) => void>();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const tab = createBrowser('scope-ignored-promises').openTab();
  tab.use();
  const model = scriptedModel([[{ throw: 'The line is dead.' }], [{ text: 'Hel' }, { delay: 600_000 }]]);
  const run = createRun(chat, { id: 'chat', storage: tab.storage, model });
  await run.restored;
  void run.send('Hi.');
  await expect.poll(() => run.getState().status).toBe('error');
  void run.retry();
  await expect.poll(() => run.getState().text).toBe('Hel');
  run.stop();
  await expect.poll(() => run.getState().status).toBe('stopped');
  // rejections are reported once the present task is over
  await after(20);
  expect(unhandled).not.toHaveBeenCalled();
});
