import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRedis } from './redis.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cueline-redis-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, exitCode = 0): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\nexit ${exitCode}\n`);
  chmodSync(file, 0o755);
  return file;
}

test('CUELINE_REDIS comes first, then redis-server on the PATH, then valkey-server', () => {
  const path = ['/nowhere', folder].join(delimiter);
  expect(findRedis({ PATH: path })).toBeUndefined();
  const valkey = program('valkey-server');
  expect(findRedis({ PATH: path })).toBe(valkey);
  const redis = program('redis-server');
  expect(findRedis({ PATH: path })).toBe(redis);
  const chosen = program('chosen');
  expect(findRedis({ CUELINE_REDIS: chosen, PATH: path })).toBe(chosen);
});

test('a program that does not start is passed over', () => {
  program('redis-server', 127);
  const valkey = program('valkey-server');
  expect(findRedis({ PATH: folder })).toBe(valkey);
});

test('a wrong CUELINE_REDIS is an error that names it, not a fallback', () => {
  program('redis-server');
  expect(() => findRedis({ CUELINE_REDIS: '/no/such/server', PATH: folder })).toThrow(
    'CUELINE_REDIS is "/no/such/server", which is not a Redis server that starts',
  );
});
