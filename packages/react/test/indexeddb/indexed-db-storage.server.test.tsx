import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { indexedDbStorage } from '@cueline/react/indexeddb';
import { expect, test } from 'vitest';

test('a storage on a server loads nothing and refuses writes', async () => {
  expect('indexedDB' in globalThis).toBe(false);
  const storage = indexedDbStorage();
  expect(await storage.load('today')).toBeUndefined();
  expect(await storage.list()).toEqual([]);
  await storage.remove('today');
  await storage.clear();
  await expect(
    storage.append('today', [{ seq: 0, t: 0, type: 'warning', message: 'm' }]),
  ).rejects.toMatchObject({
    code: 'storage_failed',
    details: { reason: 'denied' },
  });
});

test('runs of two users with one name share nothing', async () => {
  const storage = indexedDbStorage();
  expect(storage.scope).toBeUndefined();
  const open = (answer: string) =>
    createRun(
      definePrompt('plan', (prompt) => prompt.$`Plan.`),
      { id: 'planner', storage, model: scriptedModel([[{ text: answer }, { delay: 50 }, { text: '.' }]]) },
    );
  const [ada, ben] = [open('Ada'), open('Ben')];
  expect(await Promise.all([ada.start(), ben.start()])).toEqual(['Ada.', 'Ben.']);
});
