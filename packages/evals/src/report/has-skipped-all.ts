import type { TestModule } from 'vitest/node';

/** True if files were read without an error, and all their tests were skipped. */
export function hasSkippedAll(modules: readonly TestModule[]): boolean {
  const tests = modules.flatMap(({ children }) => [...children.allTests()]);
  return (
    modules.length > 0 &&
    modules.every((module) => module.errors().length === 0) &&
    tests.every((test) => test.result().state === 'skipped')
  );
}
