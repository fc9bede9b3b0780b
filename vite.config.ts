import type { BrowserProviderOption, TypecheckConfig } from 'vitest/node';
import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from 'vitest/config';
import { launchOptions } from './scripts/browser.mjs';

/** What every Vite and Vitest run of the workspace shares: packages resolve to their sources, so nothing needs a build. */
export const sourceConditions: string[] = ['@cueline/source'];

/** For an app's own vite.config.ts: `defineConfig({ ...shared, plugins: […] })`. */
export const shared: Pick<ViteUserConfig, 'resolve' | 'ssr'> = {
  resolve: { conditions: [...sourceConditions, 'module', 'browser', 'development|production'] },
  ssr: { resolve: { conditions: [...sourceConditions, 'module', 'node', 'development|production'] } },
};

export default defineConfig(async () => {
  // Loaded here, not at the top, so that an app's build that imports `shared` does not load a browser driver.
  const { playwright } = await import('@vitest/browser-playwright');
  const chromium = playwright({ launchOptions: launchOptions() });
  return {
    ...shared,
    test: {
      projects: [
        node('core', './packages/core', 'test/**/*.test.ts'),
        node('playground', './apps/playground', 'test/**/*.test.ts'),
        node('e2e-server', './e2e/server', '*.test.ts'),
        node('scripts', './scripts', '*.test.ts'),
        browser('core-browser', './packages/core', 'test/**/*.browser.test.ts', chromium, ['ai', 'zod']),
        node('react-server', './packages/react', 'test/**/*.server.test.tsx'),
        browser('react', './packages/react', 'test/**/!(*.server).test.{ts,tsx}', chromium, [
          'react',
          'react-dom',
          'react-dom/client',
          'react/jsx-dev-runtime',
          'ai',
          'zod',
        ]),
      ],
    },
  };
});

/** Errors in other files are the typecheck stage's business: here they would fail the tests of unfinished work. */
const typeTests = {
  enabled: true,
  checker: 'tsc' as const,
  include: ['test/**/*.test-d.{ts,tsx}'],
  ignoreSourceErrors: true,
} satisfies Partial<TypecheckConfig>;

function node(name: string, root: string, include: string): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      root,
      include: [include],
      exclude: ['**/*.browser.test.ts'],
      environment: 'node',
      typecheck: { ...typeTests, enabled: root.startsWith('./packages/') },
    },
  };
}

/** `bundled`: the packages the tests import. Found only while they run, these would make Vite reload the page under them. */
function browser(
  name: string,
  root: string,
  include: string,
  provider: BrowserProviderOption,
  bundled: string[],
): TestProjectInlineConfiguration {
  return {
    extends: true,
    optimizeDeps: { include: bundled },
    test: {
      name,
      root,
      include: [include],
      typecheck: { ...typeTests, enabled: name === 'react' },
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider,
        instances: [{ browser: 'chromium' }],
      },
    },
  };
}
