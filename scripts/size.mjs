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

const chunks = [result].flat().flatMap((one) => ('output' in one ? one.output : []));
let total = 0;
for (const chunk of chunks) {
  if (chunk.type !== 'chunk') continue;
  const bytes = gzipSync(chunk.code, { level: 9 }).length;
  // What import() loads when it is asked for is not part of what every page pays.
  if (!chunk.isDynamicEntry) total += bytes;
  const name = chunk.isEntry ? entries.join(' + ') : relative(root, chunk.facadeModuleId ?? chunk.name);
  console.log(
    `${kilobytes(bytes)}  ${name}${chunk.isDynamicEntry ? ' (loaded on demand, not counted)' : ''}`,
  );
}

console.log(`${kilobytes(total)}  of ${kilobytes(limit).trim()} allowed, gzipped, dependencies aside`);
if (total > limit) {
  console.error(`@cueline/core and @cueline/react are ${total - limit} bytes over their limit.`);
  process.exit(1);
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(2)} kB`.padStart(9);
}
