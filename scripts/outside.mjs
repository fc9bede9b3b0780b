// Builds small apps with the packed packages, outside the workspace and with the linters' own settings, as they come
// with `create-next-app` and `create-vite`: node scripts/outside.mjs [--long] [app …]. The apps are in e2e/outside.
// Without --long, those that take longest are left out.
import { existsSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { installOutside, runNode, runProgram } from './outside-folder.mjs';
import { withPage, withServer } from './outside-page.mjs';
import { packAll } from './pack.mjs';

/** @type {Record<string, { long?: boolean, check: (folder: string) => Promise<void> }>} */
const apps = {
  node: { check: checkNode },
  'zod-3': { check: checkZod3 },
  vite: { check: checkVite },
  worker: { check: checkWorker },
  metro: { check: checkMetro, long: true },
  next: { check: checkNext, long: true },
  'next-edge': { check: checkNextEdge, long: true },
};

/** Texts of the Next app's prompt, which no file for the browser may contain. */
const nextSecrets = ['Weather for a city', 'Plan a day in '];

/** Packages with faults in their own types. */
const loose = /^(ai|@ai-sdk\/.*|@restatedev\/.*)$/;

/** How many checks run at once: a single build leaves a second core idle half of the time. */
const PLACES = 2;
let free = PLACES;
/** @type {(() => void)[]} */
const waiting = [];

const long = process.argv.includes('--long');
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const unknown = asked.filter((name) => !Object.hasOwn(apps, name));
if (unknown.length > 0) {
  throw new Error(`There is no app ${unknown.join(', ')}. Apps: ${Object.keys(apps).join(', ')}.`);
}
const chosen = Object.entries(apps).filter(([name, app]) =>
  asked.length > 0 ? asked.includes(name) : long || app.long !== true,
);
const names = chosen.map(([name]) => name);

const packages = packAll();
for (const { name, tarball } of packages) report(`${name}, packed`, statSync(tarball).size);
const folder = await timed(`install ${names.join(', ')}`, async () => installOutside(names, packages));
await Promise.all(chosen.map(([name, { check }]) => check(join(folder, name))));

/** @param {string} app */
async function checkNode(app) {
  const settings = {
    nodenext: '',
    'node16, verbatimModuleSyntax': '--module node16 --moduleResolution node16 --verbatimModuleSyntax',
    'bundler, strictest':
      '--module esnext --moduleResolution bundler --isolatedModules --exactOptionalPropertyTypes ' +
      '--noUncheckedIndexedAccess --noImplicitOverride --noPropertyAccessFromIndexSignature',
  };
  for (const { name } of packages) checkSourceMaps(join(app, 'node_modules', name));
  const compile = timed('node: tsc', () => runNode(app, 'node_modules/typescript-7/bin/tsc'));
  const checks = ['typescript', 'typescript-7'].flatMap((compiler) =>
    Object.entries(settings)
      // each compiler and each setting once, unless there is time for all
      .filter(([name]) => long || (name === 'nodenext') === (compiler === 'typescript'))
      .map(([name, flags]) =>
        timed(`node: ${compiler}, ${name}`, () =>
          checkTypes(
            app,
            join('node_modules', compiler, 'bin', 'tsc'),
            ['--noEmit', ...flags.split(' ').filter(Boolean)],
            flags.includes('exactOptional') ? loose : undefined,
          ),
        ),
      ),
  );
  const deno = join(app, 'node_modules', '.bin', 'deno');
  const denoCheck = timed('node: deno check', () => runProgram(app, deno, ['check', 'src/main.ts']));
  await compile;
  /** @type {Record<string, [program: string, args: string[], hint: string]>} */
  const runtimes = {
    [`Node ${process.versions.node}`]: [process.execPath, [], 'pnpm add'],
    'Node 22.3.0': [join(app, 'node_modules', 'node-22', 'bin', 'node'), [], 'pnpm add'],
    Deno: [deno, ['run', '--allow-all'], 'pnpm add'],
    Bun: [join(app, 'node_modules', '.bin', 'bun'), ['run'], 'bun add'],
  };
  for (const [name, [program, args, hint]] of Object.entries(runtimes)) {
    const said = await timed(`node: ${name}`, () => runProgram(app, program, [...args, 'dist/main.js']));
    expectSaid(said, [
      'Take the tram to Belém.',
      'Hello Ada!',
      `need the package @ai-sdk/anthropic, which is not installed. Install it: ${hint} @ai-sdk/anthropic`,
    ]);
  }
  const said = await timed('node: cueline eval', () =>
    runProgram(app, process.execPath, ['node_modules/@cueline/evals/bin/cueline.js', 'eval', 'src/mood']),
  );
  expectSaid(said, ['3/3 passed']);
  await Promise.all([...checks, denoCheck]);
}

/**
 * Checks an app's types and all declarations that it reads. Those of `others` may be wrong, and the app cannot change
 * that: the AI SDK's need the DOM and Node, and do not pass `exactOptionalPropertyTypes`, nor do Restate's; Next's
 * name a type that Node's have not.
 * @param {string} app
 * @param {string} tsc
 * @param {string[]} flags
 * @param {RegExp} [others] the names of packages whose own faults do not count
 */
async function checkTypes(app, tsc, flags, others) {
  try {
    await runNode(app, tsc, [...flags, '--pretty', 'false']);
  } catch (error) {
    const faults = String(error)
      .split('\n')
      .filter((line) => line.includes('error TS'));
    const isOfOthers = (/** @type {string} */ line) => {
      const [, name = ''] = /^\S*node_modules\/((?:@[\w-]+\/)?[\w-]+)\/dist\/\S+\.d\.ts\(/.exec(line) ?? [];
      return others?.test(name) === true;
    };
    if (faults.length === 0 || !faults.every(isOfOthers)) throw error;
  }
}

/**
 * Checks that an editor finds definitions in src/, and that stack traces have its lines.
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
  // the older compiler, which takes three times as long, reads the same declarations in the app "node"
  const compiler = long ? 'typescript' : 'typescript-7';
  await timed(`zod-3: ${compiler}`, () => runNode(app, `node_modules/${compiler}/bin/tsc`));
  expectSaid(await runNode(app, 'dist/main.js'), ['Take the tram to Belém.', 'LISBON: sunny']);
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
  await timed('worker: tsc', () => checkTypes(app, 'node_modules/typescript/bin/tsc', [], loose));
  const said = await timed('worker: wrangler deploy --dry-run', () =>
    runNode(app, 'node_modules/wrangler/bin/wrangler.js', ['deploy', '--dry-run', '--outdir', 'dist']),
  );
  console.log(`  worker: ${/Total Upload:.*/.exec(said)?.[0] ?? said}`);
}

/** @param {string} app */
async function checkMetro(app) {
  // Metro does not create the folder of its output
  mkdirSync(join(app, 'dist'), { recursive: true });
  const args = ['build', 'src/main.tsx', '--out', 'dist/bundle', '--platform', 'android', '--reset-cache'];
  await timed('metro: metro build', () => runNode(app, 'node_modules/metro/src/cli.js', args));
  reportScripts('metro: the bundle', app, 'dist/*.js');
  expectSaid(await runNode(app, 'dist/bundle.js'), [
    'Take the tram to Belém.',
    'need the package @ai-sdk/anthropic',
  ]);
}

/** @param {string} app */
async function checkNext(app) {
  const next = 'node_modules/next/dist/bin/next';
  await timed('next: eslint', () => runNode(app, 'node_modules/eslint/bin/eslint.js', ['--max-warnings=0']));
  for (const flags of [['--webpack'], []]) {
    const name = flags[0] === undefined ? 'Turbopack' : 'webpack';
    await timed(`next: next build (${name})`, () => runNode(app, next, ['build', ...flags]));
    reportScripts(`next: scripts of the ${name} build`, app, '.next/static/**/*.js');
    checkHidden(join(app, '.next', 'static'), nextSecrets);
  }
  // after a build, which writes the types of its routes
  for (const compiler of ['typescript', 'typescript-7']) {
    await timed(`next: ${compiler}, skipLibCheck false`, () =>
      checkTypes(app, `node_modules/${compiler}/bin/tsc`, ['--noEmit', '--skipLibCheck', 'false'], /^next$/),
    );
  }
  await timed('next: in Chromium', () =>
    // the port is an origin that the app's route allows
    withPage(
      app,
      (port) => [next, 'start', '--port', port],
      '3000',
      async (page) => {
        // before the run: an answer may repeat what the prompt says
        const html = await page.content();
        const shown = nextSecrets.find((secret) => html.includes(secret));
        if (shown !== undefined) throw new Error(`The page has "${shown}", which only the server may know.`);
        await page.getByRole('button', { name: 'Plan my day' }).click();
        await page.getByText('done', { exact: true }).waitFor({ timeout: 20_000 });
        await page.getByText('getWeather: output-available', { exact: true }).waitFor({ timeout: 5_000 });
      },
    ),
  );
}

/** @param {string} app */
async function checkNextEdge(app) {
  const next = 'node_modules/next/dist/bin/next';
  await timed('next-edge: next build', () => runNode(app, next, ['build']));
  await timed('next-edge: a run', () =>
    withServer(
      app,
      (port) => [next, 'start', '--port', port],
      '0',
      async (address) => {
        const response = await fetch(new URL('/api/plan-day', address), {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: 'http://localhost:3000' },
          body: JSON.stringify({ prompt: 'plan-day', input: { city: 'Lisbon' } }),
        });
        expectSaid(await response.text(), ['"output":"Lisbon: sunny"', '"outcome":"done"']);
      },
    ),
  );
}

/**
 * @param {string} folder
 * @param {string[]} secrets
 */
function checkHidden(folder, secrets) {
  for (const file of globSync('**/*.{js,html,css,json}', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8');
    const found = secrets.find((secret) => text.includes(secret));
    if (found !== undefined) throw new Error(`${folder}/${file} has "${found}", which a browser would get.`);
  }
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
 * Does a piece of work once a slot is free, and prints how long it took.
 * @template Result
 * @param {string} what
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function timed(what, work) {
  if (free > 0) free -= 1;
  else await new Promise((resolve) => waiting.push(() => resolve(undefined)));
  try {
    const began = performance.now();
    const result = await work();
    console.log(`✓ ${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    return result;
  } finally {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }
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
