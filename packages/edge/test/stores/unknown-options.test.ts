// A misspelt option would be ignored: a store would keep more than it was told to, or use other keys.
import { createMemoryLimits, createMemoryRuns, createMemoryShares } from '@cueline/edge';
import { createRedisLimits, createRedisRuns, createRedisShares } from '@cueline/edge/redis';
import { createStorageRuns, createStorageShares } from '@cueline/edge/unstorage';
import { expect, test } from 'vitest';

const nothing = {} as never;

test.each<[string, (options: never) => unknown, string]>([
  ['createMemoryLimits', createMemoryLimits, 'There are: now, subjects.'],
  ['createMemoryRuns', createMemoryRuns, 'There are: maxBytes, maxRuns, now.'],
  ['createMemoryShares', createMemoryShares, 'There are: maxBytes, now.'],
  ['createRedisLimits', (options) => createRedisLimits(nothing, options), 'There are: now, prefix.'],
  ['createRedisRuns', (options) => createRedisRuns(nothing, options), 'There are: prefix.'],
  ['createRedisShares', (options) => createRedisShares(nothing, options), 'There are: prefix.'],
  ['createStorageRuns', (options) => createStorageRuns(nothing, options), 'There are: now, pollMs.'],
  ['createStorageShares', (options) => createStorageShares(nothing, options), 'There are: now.'],
])('%s refuses an option that it does not have', (name, create, known) => {
  expect(() => create({ keepForever: true } as never)).toThrow(`${name} has no "keepForever". ${known}`);
});

test('a misspelt option is refused with the right one', () => {
  expect(() => createMemoryRuns({ maxRun: 10 } as never)).toThrow('Did you mean maxRuns?');
});

test.each([
  [
    () => createMemoryRuns({ maxRuns: Number.NaN }),
    'createMemoryRuns: maxRuns is NaN. Give a number of at least 1',
  ],
  [() => createMemoryRuns({ maxBytes: '5' as never }), 'createMemoryRuns: maxBytes is 5. Give a number'],
  [
    () => createMemoryLimits({ subjects: 0 }),
    'createMemoryLimits: subjects is 0. Give a number of at least 1',
  ],
  [
    () => createMemoryShares({ maxBytes: null as never }),
    'createMemoryShares: maxBytes is null. Give a number',
  ],
])('a limit that is not a number of at least 1 is refused: %#', (create, says) => {
  expect(create).toThrow(says);
});
