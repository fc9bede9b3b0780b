// What a page pays for @cueline/core and @cueline/react: minified and gzipped, without the packages they depend on.
import { relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const limit = 20_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const entries = ['packages/core/src/index.ts', 'packages/react/src/index.ts'];
const entry = '\0everything';

const result = await build({
  root,
  configFile: false,
  logLevel: 'warn',
  resolve: { conditions: ['@cueline/source'] },
  plugins: [
    {
      name: 'everything',
      resolveId: (id) => (id === entry ? id : undefined),
      load: (id) =>
        id === entry ? entries.map((file) => `export * from '/${file}';`).join('\n') : undefined,
    },
  ],
  build: {
    write: false,
    target: 'es2023',
    minify: true,
    rolldownOptions: {
      input: entry,
      preserveEntrySignatures: 'strict',
      external: (id) => /^[@a-z]/.test(id) && !id.startsWith('@cueline/'),
    },
  },
});

const chunks = new Map(
  [result]
    .flat()
    .flatMap((one) => ('output' in one ? one.output : []))
    .flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk]] : [])),
);
const first = [...chunks.values()].find((chunk) => chunk.isEntry);
if (first === undefined) throw new Error('The build has no entry.');
const onLoad = importedBy(first.fileName, new Set());
let total = 0;
for (const chunk of chunks.values()) {
  const bytes = gzipSync(chunk.code, { level: 9 }).length;
  const counted = onLoad.has(chunk.fileName);
  if (counted) total += bytes;
  const name = chunk.isEntry ? entries.join(' + ') : relative(root, chunk.facadeModuleId ?? chunk.name);
  console.log(`${kilobytes(bytes)}  ${name}${counted ? '' : ' (loaded on demand, not counted)'}`);
}

console.log(`${kilobytes(total)}  of ${kilobytes(limit).trim()} allowed, gzipped, dependencies aside`);
if (total > limit) {
  console.error(`@cueline/core and @cueline/react are ${total - limit} bytes over their limit.`);
  process.exit(1);
}

/**
 * A file and what it cannot be loaded without. What import() loads when it is asked for is not part of what every page pays.
 * @param {string} file
 * @param {Set<string>} seen
 */
function importedBy(file, seen) {
  const chunk = chunks.get(file);
  if (chunk === undefined || seen.has(file)) return seen;
  seen.add(file);
  for (const imported of chunk.imports) importedBy(imported, seen);
  return seen;
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(2)} kB`.padStart(9);
}
