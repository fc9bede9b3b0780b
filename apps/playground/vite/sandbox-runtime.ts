import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rollup } from 'vite';
import { sourceConditions } from '../../../vite.config.ts';
import { bootstrapSource, hashOf } from '../src/sandbox/bootstrap.ts';
import { withoutGateway, withoutProviders } from './absent-packages.ts';

const virtualId = 'virtual:sandbox-runtime';
const folder = fileURLToPath(new URL('../src/sandbox/', import.meta.url));

/**
 * Provides `virtual:sandbox-runtime`: the scripts of the sandbox's frame and worker, each bundled into one string. A
 * frame without an origin cannot load anything by address, not even from a cache while offline.
 */
export function sandboxRuntime(): Plugin {
  let scripts: Promise<Bundle[]> | undefined;
  const watched = new Set<string>();
  return {
    name: 'cueline:sandbox-runtime',
    resolveId: (id) => (id === virtualId ? `\0${virtualId}` : undefined),
    async load(id) {
      if (id !== `\0${virtualId}`) return undefined;
      scripts ??= Promise.all([bundle('frame/entry.ts'), bundle('worker/entry.ts')]);
      const [relay, runtime] = (await scripts) as [Bundle, Bundle];
      for (const file of [...relay.files, ...runtime.files]) {
        watched.add(file);
        this.addWatchFile(file);
      }
      return Object.entries({
        relay: relay.code,
        runtime: runtime.code,
        bootstrapHash: await hashOf(bootstrapSource),
      })
        .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};`)
        .join('\n');
    },
    hotUpdate({ file, server }) {
      if (!watched.has(file)) return;
      scripts = undefined;
      const module = this.environment.moduleGraph.getModuleById(`\0${virtualId}`);
      if (module) this.environment.moduleGraph.invalidateModule(module);
      server.hot.send({ type: 'full-reload' });
    },
  };
}

type Bundle = { code: string; files: string[] };

/** One classic script with everything in it. */
async function bundle(entry: string): Promise<Bundle> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: [...sourceConditions, 'module', 'browser', 'production'] },
    plugins: [withoutGateway(), withoutProviders()],
    build: {
      write: false,
      target: 'es2023',
      lib: { entry: folder + entry, formats: ['iife'], name: 'sandbox' },
    },
  });
  const [output] = (Array.isArray(result) ? result : [result]) as Rollup.RolldownOutput[];
  const chunk = output?.output[0];
  if (chunk?.type !== 'chunk' || output?.output.length !== 1) {
    throw new Error(
      `The sandbox's ${entry} must be one script, and came out as ${output?.output.length} files.`,
    );
  }
  return { code: chunk.code, files: chunk.moduleIds.filter((file) => !file.startsWith('\0')) };
}
