import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { sourceConditions } from '../../vite.config.ts';
import {
  withoutGateway,
  withoutOtherHosts,
  withoutOtherProviders,
  withoutUnusedEditors,
} from './vite/absent-packages.ts';
import { chunkFileNames, chunkGroups } from './vite/chunk-groups.ts';
import { compileAtOnce } from './vite/compile-at-once.ts';
import { contentSecurityPolicy } from './vite/content-security-policy.ts';
import { editorStyles } from './vite/editor-styles.ts';
import { editorTypes } from './vite/editor-types.ts';
import { entryLimit } from './vite/entry-limit.ts';
import { offline } from './vite/offline.ts';
import { reactCompiler } from './vite/react-compiler.ts';
import { sandboxRuntime } from './vite/sandbox-runtime.ts';
import { readShares, sharesMeta } from './vite/shares-meta.ts';

const shares = readShares(process.env['CUELINE_SHARES']);

export default defineConfig({
  // Relative, so that the built folder works under any path of any static host.
  base: './',
  plugins: [
    reactCompiler(),
    react(),
    tailwindcss(),
    editorStyles(),
    editorTypes(),
    sandboxRuntime(),
    withoutGateway(),
    withoutOtherProviders(),
    withoutUnusedEditors(),
    sharesMeta(shares),
    contentSecurityPolicy(shares),
    compileAtOnce(),
    offline(),
    entryLimit(),
  ],
  resolve: { conditions: [...sourceConditions, 'module', 'browser', 'development|production'] },
  // what only compiled code and workers import: Vite would notice it after the page has loaded, and reload the page
  optimizeDeps: {
    include: [
      'react/compiler-runtime',
      'monaco-editor/internal/common/initialize',
      'monaco-editor/languages/features/typescript/tsWorker',
    ],
  },
  worker: { format: 'es', plugins: () => [withoutOtherHosts()] },
  build: {
    target: 'es2023',
    // Monaco's TypeScript worker is one file of several megabytes; it is loaded lazily, in a worker.
    chunkSizeWarningLimit: 8_000,
    rolldownOptions: {
      output: { chunkFileNames, codeSplitting: { groups: chunkGroups } },
      // a page of figures that ends the output of `pnpm start`
      checks: { bundlerTimings: false },
    },
  },
});
