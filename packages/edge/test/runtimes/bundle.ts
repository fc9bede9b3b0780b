import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** A folder with the app as one file, `app.js`, beside workerd's configuration, which can read no other folder. */
export type Bundle = AsyncDisposable & { folder: string };

/** Makes one file of the app and everything that it imports, as it is deployed to an edge. */
export async function bundle(): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'cueline-edge-'));
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    // those of Workers' own bundler: without `browser`, packages choose files that ask for Node's modules
    resolve: { conditions: ['@cueline/source', 'workerd', 'worker', 'browser', 'module', 'production'] },
    // libraries are bundled here, because this is the final bundle
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: folder,
      target: 'es2023',
      minify: false,
      lib: { entry: path('app.ts'), formats: ['es'], fileName: () => 'app.js' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  await copyFile(path('serve/workerd.capnp'), join(folder, 'workerd.capnp'));
  return {
    folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The path of a file beside this one. */
export function path(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
