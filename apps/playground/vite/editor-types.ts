import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Plugin } from 'vite';

const MODULE = 'virtual:cueline-editor-types';
const RESOLVED = `\0${MODULE}`;
const DEV_URL = '/@cueline-editor-types.json';

const playground = fileURLToPath(new URL('..', import.meta.url));
const core = fileURLToPath(new URL('../../../packages/core', import.meta.url));
const run = promisify(execFile);

/** The packages that a script can import. Everything that their declarations mention is included. */
const scriptImports = [
  '@cueline/core',
  '@cueline/core/agents',
  '@cueline/core/inspect',
  '@cueline/core/library',
  '@cueline/core/plugins',
  '@cueline/core/testing',
  'zod',
];
/** Packages whose comments the editor shows; those of the others would only cost time. */
const documented = ['@cueline/core', 'zod'];

/** Declaration files by their path under `node_modules`, and the entry file of each package name. */
export type EditorTypes = { files: Record<string, string>; entries: Record<string, string> };

/**
 * Serves the declarations for the editor as one JSON file, whose address is `virtual:cueline-editor-types`: core's
 * made by
 * `tsc`, the others as their packages ship them.
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
  const emitted = await mkdtemp(join(tmpdir(), 'cueline-types-'));
  try {
    await emitCoreTypes(emitted);
    return await follow(emitted);
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

async function emitCoreTypes(outDir: string): Promise<void> {
  const tsc = join(core, '../../node_modules/typescript/bin/tsc');
  const config = join(core, 'tsconfig.build.json');
  try {
    // what is marked as internal would only be offered by the editor's completion
    const options = ['--emitDeclarationOnly', '--stripInternal', '--outDir', outDir];
    await run(process.execPath, [tsc, '-p', config, ...options]);
  } catch (error) {
    // A type error in core still produces declarations; without any, the build cannot continue.
    if (!(await isFile(join(outDir, 'index.d.ts')))) throw error;
  }
}

/** A declaration file to read: its source, and its target path. */
type Source = { file: string; path: string };

async function follow(coreTypes: string): Promise<EditorTypes> {
  const files: Record<string, string> = {};
  const entries: Record<string, string> = {};
  const waiting: Source[] = [];

  async function enter(name: string, importer: string): Promise<void> {
    if (name in entries || name.startsWith('node:')) return;
    const source = await resolvePackage(name, importer, coreTypes);
    if (source === undefined) return;
    entries[name] = source.path;
    waiting.push(source);
  }

  for (const name of scriptImports) await enter(name, playground);
  for (let source = waiting.pop(); source !== undefined; source = waiting.pop()) {
    const { file, path } = source;
    if (path in files) continue;
    const text = await readFile(file, 'utf8');
    const bare = withoutComments(text);
    files[path] = toJsImports(documented.some((name) => path.startsWith(`${name}/`)) ? text : bare);
    for (const name of importsOf(bare)) {
      if (!name.startsWith('.')) await enter(name, file.startsWith(coreTypes) ? core : file);
      else {
        const target = await resolveRelative(name, file);
        if (target !== undefined)
          waiting.push({ file: target, path: join(dirname(path), relative(dirname(file), target)) });
      }
    }
  }
  return { files, entries };
}

async function resolvePackage(
  name: string,
  importer: string,
  coreTypes: string,
): Promise<Source | undefined> {
  const [scope, ...rest] = name.split('/');
  const packageName = name.startsWith('@') ? `${scope}/${rest.shift()}` : scope!;
  const subpath = ['.', ...rest].join('/');
  if (packageName === '@cueline/core') {
    const file = await resolveRelative(rest.join('/') || 'index', join(coreTypes, 'package.json'));
    return file === undefined ? undefined : { file, path: join(packageName, relative(coreTypes, file)) };
  }
  const folder = await packageFolder(packageName, importer);
  if (folder === undefined) return undefined;
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    exports?: Record<string, unknown>;
    types?: string;
  };
  const types = typesOf(manifest.exports?.[subpath]) ?? (subpath === '.' ? manifest.types : undefined);
  if (types === undefined) return undefined;
  // Some packages name declarations for CommonJS first.
  const file = join(folder, types.replace(/\.d\.cts$/, '.d.ts'));
  return (await isFile(file)) ? { file, path: join(packageName, relative(folder, file)) } : undefined;
}

/** The first declaration file that a package's `exports` entry names. */
function typesOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return /\.d\.[cm]?ts$/.test(entry) ? entry : undefined;
  if (typeof entry !== 'object' || entry === null) return undefined;
  const conditions = entry as Record<string, unknown>;
  return typesOf(conditions['types']) ?? typesOf(conditions['import']) ?? typesOf(conditions['default']);
}

async function packageFolder(name: string, importer: string): Promise<string | undefined> {
  for (let folder = await realpath(importer); folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (await isFile(join(candidate, 'package.json'))) return realpath(candidate);
  }
  return undefined;
}

async function resolveRelative(name: string, importer: string): Promise<string | undefined> {
  const base = join(dirname(importer), name.replace(/\.[cm]?[jt]s$/, ''));
  for (const file of [`${base}.d.ts`, join(base, 'index.d.ts'), `${base}.d.mts`]) {
    if (await isFile(file)) return file;
  }
  return undefined;
}

function importsOf(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\n]+)['"]/g)].map((match) => match[1]!),
  );
}

/** Relative imports end in `.js`, which every TypeScript resolves; ours end in `.ts`. */
function toJsImports(text: string): string {
  return text.replaceAll(/(\bfrom\s*|\bimport\s*\(\s*)(['"])(\.[^'"]*)\.ts\2/g, '$1$2$3.js$2');
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
