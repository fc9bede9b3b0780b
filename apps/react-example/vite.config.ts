import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { contentSecurityPolicy } from './vite/content-security-policy.ts';

export default defineConfig({
  // relative, so that the built folder works under any path of any static host
  base: './',
  plugins: [react(), tailwindcss(), contentSecurityPolicy()],
  // only in this repository, where the packages need not be built first
  resolve: { conditions: ['@cueline/source', 'module', 'browser', 'development|production'] },
  build: { target: 'es2023' },
});
