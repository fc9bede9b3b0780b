import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const app = fileURLToPath(new URL('../../apps/playground', import.meta.url));
const page = fileURLToPath(new URL('page', import.meta.url));

/** Builds the playground as it ships into `playground`, and the pages it is compared with into `bare`. */
export async function buildPages(folder: string): Promise<void> {
  // the app's plugins find their files from its folder
  await build({
    root: app,
    configFile: join(app, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: join(folder, 'playground'), emptyOutDir: true },
  });
  await build({
    root: page,
    configFile: false,
    base: './',
    logLevel: 'error',
    plugins: [react()],
    worker: { format: 'es' },
    build: {
      outDir: join(folder, 'bare'),
      emptyOutDir: true,
      target: 'es2023',
      chunkSizeWarningLimit: 20_000,
    },
  });
}
