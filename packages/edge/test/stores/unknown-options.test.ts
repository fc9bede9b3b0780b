// A misspelt option would be ignored: a store would keep more than it was told to, or use other keys.
import { definePrompt } from '@cueline/core';
import {
  createMemoryLimits,
  createMemoryRuns,
  createMemoryShares,
  createModelProxy,
  createPromptRoute,
  createRunGuard,
  createShareStore,
} from '@cueline/edge';
import { createRedisLimits, createRedisRuns, createRedisShares } from '@cueline/edge/redis';
import { createStorageRuns, createStorageShares } from '@cueline/edge/unstorage';
import { expect, test } from 'vitest';

const nothing = {} as never;
const greet = definePrompt('greet', (prompt) => prompt.$`Hi.`);

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

test.each<[string, (options: never) => unknown]>([
  ['createModelProxy', createModelProxy],
  ['createPromptRoute', (options) => createPromptRoute(greet, options)],
  ['createShareStore', createShareStore],
])('%s needs options', (name, create) => {
  expect(() => create(undefined as never)).toThrow(`${name} takes an object`);
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

const access = { origins: ['https://app.example'], auth: () => null };
const runs = createMemoryRuns() as never;
const limits = createMemoryLimits() as never;
const providers = { openai: { models: ['gpt-x'] } };

test.each<[string, () => unknown]>([
  [
    'createPromptRoute: store has no method "create". Write store: createRedisRuns(client).',
    () => createPromptRoute(greet, { ...access, store: limits }),
  ],
  [
    'createPromptRoute: limitStore is a promise. Write await before it.',
    () => createPromptRoute(greet, { ...access, limitStore: Promise.resolve(limits) as never }),
  ],
  [
    'createRunGuard: limitStore has no method "reserve". Write limitStore: createRedisLimits(client).',
    () => createRunGuard({ limitStore: runs }),
  ],
  [
    'createModelProxy: store has no method "reserve". Write store: createRedisLimits(client).',
    () => createModelProxy({ ...access, providers, store: runs }),
  ],
  [
    'createShareStore: storage has no method "put". Write storage: createRedisShares(client).',
    () => createShareStore({ ...access, storage: limits }),
  ],
  [
    'createShareStore: store has no method "reserve". Write store: createRedisLimits(client).',
    () => createShareStore({ ...access, store: createMemoryShares() as never }),
  ],
])('another kind of store is refused at once: %s', (says, create) => {
  expect(create).toThrow(expect.objectContaining({ code: 'invalid_options', message: says }));
});
