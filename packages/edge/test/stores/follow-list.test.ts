import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { followList } from '../../src/stores/follow-list.ts';
import { never } from '../route/routes.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a reader that stays for long keeps nothing of what it has read', async () => {
  const pieces: WeakRef<object>[] = [];
  const items = followList(
    () => ({
      async next() {
        const item = { number: pieces.length };
        pieces.push(new WeakRef(item));
        return { items: [item], over: false, more: pieces.length % 2 === 0 };
      },
      pause: async () => {},
    }),
    never(),
  );
  const reader = items[Symbol.asyncIterator]();
  for (let count = 0; count < 1_000; count += 1) await reader.next();
  // weak references are kept until the current job has ended
  await new Promise((resolve) => setTimeout(resolve, 10));
  collectGarbage();
  const kept = pieces.filter((piece) => piece.deref() !== undefined);
  expect(kept.length).toBeLessThan(10);
  await reader.return?.();
});

test('a reader gets the error of a failure; failures after it has left are ignored', async () => {
  const failing: ((error: Error) => void)[] = [];
  const begin = () => ({
    next: () => new Promise<never>((_, reject) => failing.push(reject)),
    pause: async () => {},
  });
  const stays = followList(begin, never())[Symbol.asyncIterator]().next();
  const leaving = new AbortController();
  const leaves = followList(begin, leaving.signal)[Symbol.asyncIterator]().next();
  leaving.abort();
  expect(await leaves).toEqual({ done: true, value: undefined });
  for (const fail of failing) fail(new Error('down'));
  await expect(stays).rejects.toThrow('down');
});
