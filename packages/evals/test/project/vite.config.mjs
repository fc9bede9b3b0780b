import { defineConfig } from 'vitest/config';
import { shared } from '../../../../vite.config.ts';

export default defineConfig(shared);
