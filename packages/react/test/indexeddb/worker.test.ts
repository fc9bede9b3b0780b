import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase, wordsFrom } from './logs.ts';

test('a worker stores a run that the page then loads and ends once the worker is gone', async () => {
  const { name, tab } = freshDatabase();
  const worker = new Worker(new URL('./storing-worker.ts', import.meta.url), { type: 'module' });
  onTestFinished(() => worker.terminate());
  const answer = new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }) => resolve(data));
    worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
  worker.postMessage({ databaseName: name, batches: [wordsFrom(0, 5), wordsFrom(5, 5)] });
  expect(await answer).toEqual([{ id: 'today', events: 10 }]);
  const page = tab();
  expect(await page.load('today')).toEqual(wordsFrom(0, 10));

  worker.terminate(); // in the middle of the run
  await page.append('today', wordsFrom(10, 1));
  expect(await page.load('today')).toEqual(wordsFrom(0, 11));
});
