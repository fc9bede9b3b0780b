import { defineConfig } from 'vitest/config';
import { shared } from '../../../../vite.config.ts';

export default defineConfig({
  ...shared,
  test: {
    // the tests start the command a dozen times: each transforms only what no other has
    experimental: { fsModuleCache: true },
    // as in many projects; a run is not made again, and its result stays
    retry: 1,
  },
});
