// Prints the size of Cueline in a page: minified and gzipped, without its dependencies and the bundler's runtime.
// node scripts/size.mjs [--write]: --write puts the figures into the packages' READMEs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

/** The limit for core and react together, on load. What only some pages need is loaded later. */
const limit = 20_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const core = 'packages/core/src/index.ts';
const react = 'packages/react/src/index.ts';
const runner = 'packages/core/src/executors/runner.ts';

const coreAlone = await bundle([core]);
const both = await bundle([core, react]);

/** @type {Record<'core' | 'react', [name: string, bytes: number][]>} */
const tables = {
  core: [
    ['`@cueline/core`', coreAlone.onLoad],
    ['… and once a run has started', coreAlone.with(runner)],
    ['`@cueline/core/agents`', (await bundle(['packages/core/src/agents.ts'])).onLoad],
    ['`@cueline/core/ai-sdk`', (await bundle(['packages/core/src/ai-sdk.ts'])).onLoad],
    ['`@cueline/core/durable`', (await bundle(['packages/core/src/durable.ts'])).onLoad],
    ['`@cueline/core/evals`', (await bundle(['packages/core/src/evals/index.ts'])).onLoad],
    ['`@cueline/core/inspect`', (await bundle(['packages/core/src/inspect.ts'])).onLoad],
    ['`@cueline/core/library`', (await bundle(['packages/core/src/library/index.ts'])).onLoad],
    ['`@cueline/core/link`', (await bundle(['packages/core/src/link.ts'])).onLoad],
    ['`@cueline/core/models`', (await bundle(['packages/core/src/models/index.ts'])).onLoad],
    ['`@cueline/core/plugins`', (await bundle(['packages/core/src/plugins/index.ts'])).onLoad],
    ['`@cueline/core/replay`', (await bundle(['packages/core/src/replay.ts'])).onLoad],
    ['`@cueline/core/server`', (await bundle(['packages/core/src/server.ts'])).onLoad],
    ['`@cueline/core/testing`', (await bundle(['packages/core/src/testing/index.ts'])).onLoad],
  ],
  react: [
    ['`@cueline/react`, core aside', (await bundle([react], /^@cueline\/core/)).onLoad],
    ['`@cueline/react` with `@cueline/core`', both.onLoad],
    ['… and once a run has started in the page', both.with(runner)],
    [
      '`@cueline/react/indexeddb`, core aside',
      (await bundle(['packages/react/src/indexeddb/index.ts'], /^@cueline\/core/)).onLoad,
    ],
  ],
};

for (const [name, bytes] of [...tables.core, ...tables.react]) {
  console.log(`${kilobytes(bytes).padStart(9)}  ${name.replaceAll('`', '')}`);
}
if (process.argv.includes('--write')) {
  for (const [name, rows] of Object.entries(tables)) write(join(root, 'packages', name, 'README.md'), rows);
}
console.log(
  `${kilobytes(limit).padStart(9)}  is allowed for core and react on load, gzipped, dependencies aside`,
);
if (both.onLoad > limit) {
  console.error(`@cueline/core and @cueline/react are ${both.onLoad - limit} bytes over their limit.`);
  process.exit(1);
}

/**
 * Bundles everything that these files export.
 * @param {string[]} files
 * @param {RegExp} [aside] packages of the workspace that are not counted
 */
async function bundle(files, aside = /^$/) {
  const entry = '\0everything';
  const result = await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@cueline/source'] },
    plugins: [
      {
        name: 'everything',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) =>
          id === entry ? files.map((file) => `export * from '/${file}';`).join('\n') : undefined,
      },
    ],
    build: {
      write: false,
      target: 'es2023',
      // as a library, because Vite adds a preloader to each import() of a page
      lib: { entry, formats: ['es'] },
      minify: false,
      rolldownOptions: {
        input: entry,
        // as in a page, whose own file exports nothing: what is loaded at once is one file, as far as it can be
        preserveEntrySignatures: 'allow-extension',
        external: (id) => (/^[@a-z]/.test(id) && !id.startsWith('@cueline/')) || aside.test(id),
        // a page's build leaves out what only a bundler reads
        output: { minify: true, comments: { annotation: false } },
      },
    },
  });

  const chunks = new Map(
    [result]
      .flat()
      .flatMap((one) => ('output' in one ? one.output : []))
      .flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk]] : [])),
  );
  /**
   * The bytes of some files and of what they cannot be loaded without. What import() loads is not part of it.
   * @param {(chunk: { isEntry: boolean, facadeModuleId: string | null }) => boolean} isLoaded
   */
  const bytesOf = (isLoaded) => {
    const loaded = new Set([...chunks.values()].filter(isLoaded).map(({ fileName }) => fileName));
    // the loop also visits files that it adds to the set
    for (const file of loaded) for (const imported of chunks.get(file)?.imports ?? []) loaded.add(imported);
    const codes = [...loaded].flatMap((file) => chunks.get(file)?.code ?? []);
    if (codes.length === 0) throw new Error(`The bundle of ${files.join(' and ')} has no entry.`);
    return codes.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0);
  };
  return {
    onLoad: bytesOf(({ isEntry }) => isEntry),
    /** @param {string} file that is loaded later, together with what is there on load */
    with: (file) => bytesOf((chunk) => chunk.isEntry || (chunk.facadeModuleId?.endsWith(file) ?? false)),
  };
}

/**
 * Replaces the table between `<!-- size -->` and `<!-- /size -->`.
 * @param {string} file
 * @param {[string, number][]} rows
 */
function write(file, rows) {
  const table = [
    '| entry | gzipped |',
    '| --- | --- |',
    ...rows.map(([name, bytes]) => `| ${name} | ${kilobytes(bytes)} |`),
  ];
  const text = readFileSync(file, 'utf8');
  const parts = /(<!-- size -->\n)[^]*?(<!-- \/size -->)/;
  if (!parts.test(text))
    throw new Error(`${file} has no place for the table: <!-- size --> … <!-- /size -->.`);
  writeFileSync(
    file,
    text.replace(parts, (_, begin, end) => `${begin}\n${table.join('\n')}\n\n${end}`),
  );
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
