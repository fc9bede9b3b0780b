import { createCassette, type CassetteData } from '@cueline/core/testing';
import type { TestCase, TestModule } from 'vitest/node';
import { changeCassette } from '../change-cassette.ts';
import '../settings.ts';

/**
 * Removes the recordings that no request has asked for, if all cases of these files have run without an error.
 * Otherwise they may be of the other requests.
 */
export function removeUnusedRecordings(modules: readonly TestModule[]): void {
  const isWhole = modules.every(
    (module) => module.errors().length === 0 && [...module.children.allTests()].every(isAnswered),
  );
  if (!isWhole) return;
  const used = new Map<string, Set<string>>();
  for (const suite of modules.flatMap(({ children }) => [...children.allSuites()])) {
    const meta = suite.meta().cueline;
    if (meta?.kind !== 'eval') continue;
    for (const [file, keys] of Object.entries(meta.recorded ?? {})) {
      used.set(file, new Set([...(used.get(file) ?? []), ...keys]));
    }
  }
  for (const [file, keys] of used) changeCassette(file, (content) => withOnly(content, keys));
}

/** True for a test of an eval that has run, and whose requests were all answered. */
function isAnswered(test: TestCase): boolean {
  const { parent } = test;
  if (parent.type !== 'suite' || parent.meta().cueline?.kind !== 'eval') return false;
  const meta = test.meta().cueline;
  return meta?.kind === 'run' ? meta.result.status !== 'error' : test.result().state === 'passed';
}

/** Returns the content without other recordings; undefined if it has none. */
function withOnly(content: unknown, keys: ReadonlySet<string>): CassetteData | undefined {
  const data = createCassette({ data: content }).toJSON();
  const recordings = data.recordings.filter(({ key }) => keys.has(key));
  if (recordings.length === data.recordings.length) return undefined;
  return createCassette({ data: { ...data, recordings } }).toJSON();
}
