// What `pnpm test`, `pnpm check` and CI run: groups of stages, one group after the other, up to the first stage that
// fails. The lists of a group run side by side: in the first group, because each list waits for the disk, the network
// or one long process for some of its time. Tests, which have time limits, get the machine for themselves, except
// that the apps are built with the lowest priority meanwhile, in the time that the unit tests leave. With --long, the
// stages that take too long to run every time (`pnpm test:long`). Each stage is a script of package.json, so any of
// them can be run alone: `pnpm lint`, `pnpm test:unit`, …
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startPnpm } from './pnpm.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const unitResults = join(root, 'test-results', 'unit.json');
const unitArgs = [
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${unitResults}`,
  // as in e2e/playwright.config.ts: one slow moment of a shared machine fails no run, and the summary says so
  ...(process.env.CUELINE_CI ? ['--retry=1'] : []),
];
const e2eResults = join(root, 'test-results', 'e2e.json');

/**
 * `isBackground` gives a stage the lowest priority.
 * @typedef {{ script: string, args?: string[], env?: Record<string, string>, count?: () => Count, isBackground?: true }}
 *   Stage
 */

/** @type {Stage} */
const buildApps = { script: 'build:apps', isBackground: true };
/** @type {Stage} */
const e2e = { script: 'test:e2e:built', env: { CUELINE_E2E_RESULTS: e2eResults }, count: countE2e };

/** @type {Stage[][][]} */
const everyTime = [
  [
    [
      { script: 'format:check' },
      { script: 'lint' },
      { script: 'unused' },
      { script: 'size' },
      { script: 'test:docs' },
    ],
    [{ script: 'packages' }, { script: 'outside' }],
  ],
  [[{ script: 'test:unit', args: unitArgs, count: countUnit }], [buildApps]],
  [[e2e]],
];

/** @type {Stage[][][]} */
const longStages = [
  [[{ script: 'outside', args: ['--long'] }]],
  [[{ script: 'test:unit:long', args: unitArgs, count: countUnit }], [buildApps]],
  [[{ ...e2e, env: { ...e2e.env, CUELINE_E2E: 'long' } }]],
];

const groups = process.argv.includes('--long') ? longStages : everyTime;

rmSync(join(root, 'test-results'), { recursive: true, force: true });
const tarballs = mkdtempSync(join(tmpdir(), 'cueline-pack-'));
process.on('exit', () => rmSync(tarballs, { recursive: true, force: true }));
const environment = {
  ...process.env,
  // stages start hundreds of Node processes, most of which load the same packages
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
  // what "packages" packs, "outside" installs
  CUELINE_TARBALLS: tarballs,
};
/** @type {string[]} */
const lines = [];
const total = { passed: 0, failed: 0 };
let stopped = false;

for (const lists of groups) await Promise.all(lists.map((list) => runInOrder(list, lists.length > 1)));

console.log(`\n=== summary ===\n${lines.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(stopped ? 1 : 0);

/**
 * @param {Stage[]} list
 * @param {boolean} hasNeighbors true if another list runs at the same time
 */
async function runInOrder(list, hasNeighbors) {
  for (const stage of list) {
    if (stopped) lines.push(`  -  ${stage.script.padEnd(14)}  not run`);
    // two outputs at the same time would be hard to read, so only that of tests is printed while they run
    else await runStage(stage, hasNeighbors && stage.count === undefined ? 'at the end' : 'at once');
  }
}

/**
 * @param {Stage} stage
 * @param {'at once' | 'at the end'} output when the output of the stage is printed
 */
async function runStage(stage, output) {
  const { script, count } = stage;
  if (output === 'at once') console.log(`\n=== ${script} ===`);
  const began = performance.now();
  const { status, said } = await runScript(stage, output);
  const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`.padStart(8);
  // tests print meanwhile, so that what is done in the background is said only if it failed
  const isSaid = output === 'at the end' && (!stage.isBackground || status !== 0);
  if (isSaid) console.log(`\n=== ${script} ===\n${said}`);
  const tests = count?.();
  total.passed += tests?.passed ?? 0;
  total.failed += tests?.failed ?? 0;
  // A stage that succeeds without running a test proves nothing.
  const empty = tests !== undefined && tests.passed === 0;
  const failed = status !== 0 || empty || (tests?.failed ?? 0) > 0;
  stopped ||= failed;
  // A stage without tests of its own (a format check, a crash before the first test) counts as one failure.
  if (failed && (tests?.failed ?? 0) === 0) total.failed += 1;
  const retried = tests?.retried ? `, ${tests.retried} of them passed at the second try` : '';
  const notes = tests && `${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped${retried}`;
  lines.push(`  ${failed ? '✗' : '✓'}  ${script.padEnd(14)} ${seconds}${notes ? `  ${notes}` : ''}`);
  if (failed) {
    const why = status !== 0 ? `exit code ${status}` : 'no test ran';
    console.error(`\n"${script}" failed (${why}). Run it alone with: pnpm ${script}`);
  }
}

/**
 * @param {Stage} stage
 * @param {'at once' | 'at the end'} output
 * @returns {Promise<{ status: number, said: string }>}
 */
async function runScript({ script, args = [], env = {}, isBackground }, output) {
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = output === 'at once' ? 'inherit' : ['ignore', 'pipe', 'pipe'];
  const child = startPnpm(['run', script, ...args], { cwd: root, stdio, env: { ...environment, ...env } });
  if (isBackground && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (said += text));
  try {
    const [status] = await once(child, 'close');
    return { status: status ?? 1, said };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.error(`Could not start pnpm (${why}). Run the tests with: npx -y pnpm@10.34.9 test`);
    return { status: 1, said };
  }
}

/** @typedef {{ passed: number, failed: number, skipped: number, retried?: number }} Count */

/** @returns {Count} */
function countUnit() {
  const found = read(unitResults);
  /** @type {{ assertionResults: { fullName: string, status: string, failureMessages: string[] }[] }[]} */
  const files = found?.testResults ?? [];
  const retried = files
    .flatMap((file) => file.assertionResults)
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0);
  // Vitest counts these as passed and says nothing more; Playwright lists them itself
  for (const { fullName, failureMessages } of retried)
    console.log(`\nPassed at the second try: ${fullName}\n${failureMessages.join('\n')}`);
  return {
    passed: found?.numPassedTests ?? 0,
    failed: found?.numFailedTests ?? 0,
    skipped: (found?.numPendingTests ?? 0) + (found?.numTodoTests ?? 0),
    retried: retried.length,
  };
}

/** @returns {Count} */
function countE2e() {
  const stats = read(e2eResults)?.stats;
  return {
    passed: (stats?.expected ?? 0) + (stats?.flaky ?? 0),
    failed: stats?.unexpected ?? 0,
    skipped: stats?.skipped ?? 0,
    retried: stats?.flaky ?? 0,
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
