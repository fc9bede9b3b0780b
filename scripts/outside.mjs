// Builds small apps with the packed packages, outside the workspace and with the linters' own settings, as they come
// with `create-next-app` and `create-vite`: node scripts/outside.mjs [--long] [app …]. The apps are in e2e/outside.
// Without --long, those that take longest are left out.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { installOutside, runNode } from './outside-folder.mjs';
import { withPage } from './outside-page.mjs';
import { packAll } from './pack.mjs';

/** @type {Record<string, { long?: boolean, check: (folder: string) => Promise<void> | void }>} */
const apps = {
  node: { check: checkNode },
  'zod-3': { check: checkZod3 },
  vite: { check: checkVite },
  worker: { check: checkWorker },
  next: { check: checkNext, long: true },
};

const long = process.argv.includes('--long');
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const chosen = Object.keys(apps).filter((name) =>
  asked.length > 0 ? asked.includes(name) : long || apps[name]?.long !== true,
);

const packages = packAll();
for (const { name, tarball } of packages) report(`${name}, packed`, statSync(tarball).size);
const folder = await timed(`install ${chosen.join(', ')}`, () => installOutside(chosen, packages));
for (const name of chosen) await apps[name]?.check(join(folder, name));

/** @param {string} app */
async function checkNode(app) {
  const settings = {
    nodenext: '',
    'node16, verbatimModuleSyntax': '--module node16 --moduleResolution node16 --verbatimModuleSyntax',
    'bundler, strictest':
      '--module esnext --moduleResolution bundler --noEmit --isolatedModules --exactOptionalPropertyTypes ' +
      '--noUncheckedIndexedAccess --noImplicitOverride --noPropertyAccessFromIndexSignature',
  };
  for (const compiler of ['typescript', 'typescript-7']) {
    for (const [name, flags] of Object.entries(settings)) {
      const tsc = join('node_modules', compiler, 'bin', 'tsc');
      await timed(`node: ${compiler}, ${name}`, () =>
        checkTypes(app, tsc, flags.split(' ').filter(Boolean), flags.includes('exactOptional')),
      );
    }
  }
  for (const { name } of packages) checkSourceMaps(join(app, 'node_modules', name));
  expectSaid(runNode(app, 'dist/main.js'), [
    'Take the tram to Belém.',
    'Hello Ada!',
    'need the package @ai-sdk/anthropic, which is not installed. Install it: pnpm add @ai-sdk/anthropic',
  ]);
}

/**
 * Checks an app's types and all declarations that it reads. Those of the AI SDK need the DOM and Node, and do not pass
 * `exactOptionalPropertyTypes`: where `sdkMayFail`, only what is wrong elsewhere counts.
 * @param {string} app
 * @param {string} tsc
 * @param {string[]} flags
 * @param {boolean} sdkMayFail
 */
function checkTypes(app, tsc, flags, sdkMayFail) {
  try {
    runNode(app, tsc, [...flags, '--pretty', 'false']);
  } catch (error) {
    const faults = String(error)
      .split('\n')
      .filter((line) => line.includes('error TS'));
    const isOfSdk = (/** @type {string} */ line) =>
      /^\S*node_modules\/(?:ai|@ai-sdk\/[\w-]+)\/dist\/[^/]+\.d\.ts\(/.test(line);
    if (!sdkMayFail || faults.length === 0 || !faults.every(isOfSdk)) throw error;
  }
}

/**
 * An editor goes to a definition in src/, and a stack has its lines.
 * @param {string} installed
 */
function checkSourceMaps(installed) {
  const maps = globSync('dist/**/*.map', { cwd: installed });
  for (const map of maps) {
    const { sources } = JSON.parse(readFileSync(join(installed, map), 'utf8'));
    const missing = sources.find(
      (/** @type {string} */ source) => !existsSync(join(installed, map, '..', source)),
    );
    if (missing !== undefined) throw new Error(`${installed}/${map} names ${missing}, which is not packed.`);
  }
  if (maps.length === 0) throw new Error(`${installed} has no source maps.`);
}

/** @param {string} app */
async function checkZod3(app) {
  await timed('zod-3: typescript', () => runNode(app, 'node_modules/typescript/bin/tsc'));
  expectSaid(runNode(app, 'dist/main.js'), ['Take the tram to Belém.', 'LISBON: sunny']);
}

/** @param {string} app */
async function checkVite(app) {
  await timed('vite: tsc -b', () => runNode(app, 'node_modules/typescript/bin/tsc', ['-b']));
  await timed('vite: vite build', () => runNode(app, 'node_modules/vite/bin/vite.js', ['build']));
  await timed('vite: oxlint', () =>
    runNode(app, 'node_modules/oxlint/bin/oxlint', ['--deny-warnings', 'src']),
  );
  await timed('vite: eslint', () => runNode(app, 'node_modules/eslint/bin/eslint.js', ['.']));
  reportScripts('vite: all scripts', app, 'dist/assets/*.js');
  reportScripts('vite: what loads at once', app, 'dist/assets/index-*.js');
  await timed('vite: in Chromium', () =>
    withPage(
      app,
      (port) => ['node_modules/vite/bin/vite.js', 'preview', '--port', port, '--strictPort'],
      '0',
      async (page) => {
        await page.getByRole('button', { name: 'Use a model whose package is missing' }).click();
        await page.getByRole('button', { name: 'Plan my day' }).click();
        const missing = page.getByText('need the package @ai-sdk/anthropic, which is not installed');
        await missing.waitFor({ timeout: 20_000 });
        await page.reload();
        await page.getByRole('button', { name: 'Plan my day' }).click();
        await page.getByText('done', { exact: true }).waitFor({ timeout: 20_000 });
      },
    ),
  );
}

/** @param {string} app */
async function checkWorker(app) {
  await timed('worker: tsc', () => checkTypes(app, 'node_modules/typescript/bin/tsc', [], true));
  const said = await timed('worker: wrangler deploy --dry-run', () =>
    runNode(app, 'node_modules/wrangler/bin/wrangler.js', ['deploy', '--dry-run', '--outdir', 'dist']),
  );
  console.log(`  ${/Total Upload:.*/.exec(said)?.[0] ?? said}`);
}

/** @param {string} app */
async function checkNext(app) {
  const next = 'node_modules/next/dist/bin/next';
  await timed('next: eslint', () => runNode(app, 'node_modules/eslint/bin/eslint.js', ['--max-warnings=0']));
  await timed('next: next build --webpack', () => runNode(app, next, ['build', '--webpack']));
  reportScripts('next: scripts of the webpack build', app, '.next/static/**/*.js');
  await timed('next: next build (Turbopack)', () => runNode(app, next, ['build']));
  reportScripts('next: scripts of the Turbopack build', app, '.next/static/**/*.js');
  await timed('next: in Chromium', () =>
    // the port is an origin that the app's route allows
    withPage(
      app,
      (port) => [next, 'start', '--port', port],
      '3000',
      async (page) => {
        await page.getByRole('button', { name: 'Plan my day' }).click();
        await page.getByText('done', { exact: true }).waitFor({ timeout: 20_000 });
        await page.getByText('getWeather: output-available', { exact: true }).waitFor({ timeout: 5_000 });
      },
    ),
  );
}

/**
 * @param {string} said
 * @param {string[]} texts
 */
function expectSaid(said, texts) {
  for (const text of texts) {
    if (!said.includes(text)) throw new Error(`It should say "${text}", but said:\n${said}`);
  }
}

/**
 * @template Result
 * @param {string} what
 * @param {() => Result | Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function timed(what, work) {
  const began = performance.now();
  const result = await work();
  console.log(`✓ ${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

/**
 * @param {string} what
 * @param {string} app
 * @param {string} pattern
 */
function reportScripts(what, app, pattern) {
  const files = globSync(pattern, { cwd: app }).map((file) => readFileSync(join(app, file)));
  if (files.length === 0) throw new Error(`There is no ${pattern} in ${app}.`);
  const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
  report(`${what} (${files.length}), gzipped`, bytes);
}

/**
 * @param {string} what
 * @param {number} bytes
 */
function report(what, bytes) {
  console.log(`  ${what}: ${(bytes / 1000).toFixed(1)} kB`);
}
