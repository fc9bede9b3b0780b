import { execFile } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown, type Plugin as RolldownPlugin } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import type { Plugin } from 'vite';
import { scriptModules } from '../src/sandbox/script/modules.ts';

const MODULE = 'virtual:cueline-editor-types';
const RESOLVED = `\0${MODULE}`;
const DEV_URL = '/@cueline-editor-types.json';

const core = fileURLToPath(new URL('../../../packages/core', import.meta.url));
const run = promisify(execFile);

/** The folders of packages whose comments the editor shows; those of the others would only cost time. */
const documented = /\/(packages\/core|node_modules\/zod)\//;

/** Declaration files by their path under `node_modules`, and the entry file of each package name. */
export type EditorTypes = { files: Record<string, string>; entries: Record<string, string> };

/**
 * Serves the declarations for the editor as one JSON file at `virtual:cueline-editor-types`. Core's declarations are
 * made by `tsc`; the others are those of their packages, bundled without the parts that no script can reach.
 */
export function editorTypes(): Plugin {
  let building = false;
  let json: Promise<string> | undefined;
  const collected = (): Promise<string> => (json ??= collect().then((types) => JSON.stringify(types)));
  return {
    name: 'cueline:editor-types',
    configResolved(config) {
      building = config.command === 'build';
    },
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    async load(id) {
      if (id !== RESOLVED) return undefined;
      if (!building) return `export default ${JSON.stringify(DEV_URL)};`;
      const reference = this.emitFile({
        type: 'asset',
        name: 'editor-types.json',
        source: await collected(),
      });
      return `export default import.meta.ROLLUP_FILE_URL_${reference};`;
    },
    configureServer(server) {
      server.middlewares.use(DEV_URL, (_request, response) => {
        collected().then(
          (text) => response.setHeader('content-type', 'application/json').end(text),
          (error: unknown) => {
            response.statusCode = 500;
            response.end(String(error));
          },
        );
      });
    },
  };
}

async function collect(): Promise<EditorTypes> {
  // inside the package, from where its own imports resolve
  const emitted = join(core, 'node_modules', '.cache', `editor-types-${process.pid}`);
  try {
    await emitCoreTypes(emitted);
    return await bundle(emitted);
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

async function emitCoreTypes(outDir: string): Promise<void> {
  const tsc = join(core, '../../node_modules/typescript/bin/tsc');
  const config = join(core, 'tsconfig.build.json');
  // the editor's completion would only offer internal declarations
  const options = [
    '--emitDeclarationOnly',
    '--stripInternal',
    '--declarationMap',
    'false',
    '--outDir',
    outDir,
  ];
  try {
    await run(process.execPath, [tsc, '-p', config, ...options]);
  } catch (error) {
    // A type error in core still produces declarations; without any, the build cannot continue.
    if (!(await isFile(join(outDir, 'index.d.ts')))) throw error;
  }
}

async function bundle(coreTypes: string): Promise<EditorTypes> {
  const sources = await Promise.all(
    scriptModules.map(async (name) => [name, await declarationsOf(name, coreTypes)] as const),
  );
  const bundled = await rolldown({
    input: Object.fromEntries(sources),
    cwd: core,
    external: [/^node:/],
    plugins: [
      withoutComments(),
      dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false, sourcemap: false }),
    ],
    // packages name types of others that are not installed, and zod has some for CommonJS
    logLevel: 'silent',
  });
  const { output } = await bundled.generate({ format: 'es' });
  await bundled.close();
  const declarations = output.flatMap((file) =>
    file.type === 'chunk' && file.fileName.endsWith('.d.ts') ? [file] : [],
  );
  const entries = declarations.flatMap(({ isEntry, name, fileName }) =>
    isEntry ? [[name.replace(/\.d$/, ''), fileName] as const] : [],
  );
  return {
    files: Object.fromEntries(declarations.map(({ fileName, code }) => [fileName, code])),
    entries: Object.fromEntries(entries),
  };
}

/** The declaration file that a package's name stands for. */
async function declarationsOf(name: string, coreTypes: string): Promise<string> {
  if (!name.startsWith('@cueline/core'))
    return fileURLToPath(import.meta.resolve(name)).replace(/\.[cm]?js$/, '.d.ts');
  const path = join(coreTypes, name.slice('@cueline/core'.length));
  return (await isFile(`${path}.d.ts`)) ? `${path}.d.ts` : join(path, 'index.d.ts');
}

function withoutComments(): RolldownPlugin {
  return {
    name: 'cueline:without-comments',
    load: {
      filter: { id: { include: /\.d\.[cm]?ts$/, exclude: documented } },
      handler: async (id) => ({
        code: (await readFile(id, 'utf8'))
          .replaceAll(/\/\*[\s\S]*?\*\//g, '')
          .replaceAll(/^\s*\/\/.*$/gm, ''),
        moduleType: 'ts',
      }),
    },
  };
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
