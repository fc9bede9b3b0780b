// What `pnpm test`, `pnpm check` and CI run: every stage in order, up to the first that fails. With --long, the stages
// that take too long to run every time (`pnpm test:long`).
// Each stage is a script of package.json, so any of them can be run alone: `pnpm lint`, `pnpm test:unit`, …
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { pnpm } from './pnpm.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const unitResults = join(root, 'test-results', 'unit.json');
const unitReporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${unitResults}`];
const e2eResults = join(root, 'test-results', 'e2e.json');

/** @type {{ script: string, args?: string[], env?: Record<string, string>, count?: () => Count }[]} */
const everyTime = [
  { script: 'format:check' },
  { script: 'lint' },
  { script: 'typecheck' },
  { script: 'unused' },
  { script: 'packages' },
  { script: 'outside' },
  { script: 'size' },
  { script: 'test:docs' },
  {
    script: 'test:unit',
    args: unitReporters,
    count: countUnit,
  },
  { script: 'test:e2e', env: { CUELINE_E2E_RESULTS: e2eResults }, count: countE2e },
];

/** @type {typeof everyTime} */
const longStages = [
  { script: 'outside', args: ['--long'] },
  { script: 'test:unit:long', args: unitReporters, count: countUnit },
  { script: 'test:e2e', env: { CUELINE_E2E: 'long', CUELINE_E2E_RESULTS: e2eResults }, count: countE2e },
];

const stages = process.argv.includes('--long') ? longStages : everyTime;

rmSync(join(root, 'test-results'), { recursive: true, force: true });
const lines = [];
const total = { passed: 0, failed: 0 };
let stopped = false;

for (const { script, args = [], env = {}, count } of stages) {
  if (stopped) {
    lines.push(`  -  ${script.padEnd(14)}  not run`);
    continue;
  }
  console.log(`\n=== ${script} ===`);
  const began = performance.now();
  const status = runScript([script, ...args], env);
  const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`.padStart(8);
  const tests = count?.();
  total.passed += tests?.passed ?? 0;
  total.failed += tests?.failed ?? 0;
  // A stage that ends well without having run a test has proved nothing.
  const empty = tests !== undefined && tests.passed === 0;
  stopped = status !== 0 || empty || (tests?.failed ?? 0) > 0;
  // A stage without tests of its own (a format check, a crash before the first test) counts as one failure.
  if (stopped && (tests?.failed ?? 0) === 0) total.failed += 1;
  const notes = tests && `${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`;
  lines.push(`  ${stopped ? '✗' : '✓'}  ${script.padEnd(14)} ${seconds}${notes ? `  ${notes}` : ''}`);
  if (stopped) {
    const why = status !== 0 ? `exit code ${status}` : 'no test ran';
    console.error(`\n"${script}" failed (${why}). Run it alone with: pnpm ${script}`);
  }
}

console.log(`\n=== summary ===\n${lines.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(stopped ? 1 : 0);

/**
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
function runScript(args, env) {
  const result = pnpm(['run', ...args], { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  if (result.error) {
    console.error(
      `Could not start pnpm (${result.error.message}). Run the tests with: npx -y pnpm@10.34.9 test`,
    );
  }
  return result.status ?? 1;
}

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */

/** @returns {Count} */
function countUnit() {
  const found = read(unitResults);
  return {
    passed: found?.numPassedTests ?? 0,
    failed: found?.numFailedTests ?? 0,
    skipped: (found?.numPendingTests ?? 0) + (found?.numTodoTests ?? 0),
  };
}

/** @returns {Count} */
function countE2e() {
  const stats = read(e2eResults)?.stats;
  return {
    passed: (stats?.expected ?? 0) + (stats?.flaky ?? 0),
    failed: stats?.unexpected ?? 0,
    skipped: stats?.skipped ?? 0,
  };
}

/** @param {string} file */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // the stage ended before it could write its results
  }
}
