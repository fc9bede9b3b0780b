import { defineConfig } from 'vitest/config';
import { shared } from '../../../../vite.config.ts';

// the tests start the command a dozen times: each transforms only what no other has
export default defineConfig({ ...shared, test: { experimental: { fsModuleCache: true } } });
