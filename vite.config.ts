import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Plugin, PluginOption } from 'vite';
import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from 'vitest/config';
import type { BrowserProviderOption, TypecheckConfig } from 'vitest/node';
import type { EveryFault } from './e2e/faults/chromium/global-setup.ts';
import { launchOptions } from './scripts/browser.mjs';

/**
 * What every Vite and Vitest run of the workspace shares: packages resolve to their sources, so nothing needs a
 * build.
 */
export const sourceConditions: string[] = ['@cueline/source'];

/** For an app's own vite.config.ts: `defineConfig({ ...shared, plugins: […] })`. */
export const shared: Pick<ViteUserConfig, 'resolve' | 'ssr'> = {
  resolve: { conditions: [...sourceConditions, 'module', 'browser', 'development|production'] },
  // without `module`: some packages have files for it that only a bundler can load, and tests run in Node
  ssr: { resolve: { conditions: [...sourceConditions, 'node', 'development|production'] } },
};

export default defineConfig(async ({ mode }) => {
  // Loaded here, not at the top, so that an app's build that imports `shared` does not load a browser driver.
  const { playwright } = await import('@vitest/browser-playwright');
  const chromium = playwright({ launchOptions: launchOptions() });
  // `pnpm test:unit:long`: what takes minutes
  if (mode === 'long')
    return {
      ...shared,
      test: {
        projects: [
          withAllRuns(long('core', './packages/core')),
          long('edge', './packages/edge'),
          long('durable', './packages/durable'),
          long('evals', './packages/evals'),
          long('faults', './e2e/faults'),
          faultsInBrowser(chromium, 1),
          react18(browser('react-18', './packages/react', rendering, chromium, reactPackages)),
          compiled(browser('react-compiled', './packages/react', rendering, chromium, reactPackages)),
        ],
      },
    };
  return {
    ...shared,
    test: {
      // most tests in Node wait for something, so that six files at a time also suit a machine with two cores
      maxWorkers: Math.max(6, availableParallelism()),
      projects: [
        sharingModules(node('core', './packages/core', 'test/**/*.test.ts')),
        sharingModules(node('demo-model', './packages/demo-model', 'test/**/*.test.ts')),
        sharingModules(node('edge', './packages/edge', 'test/**/*.test.ts')),
        node('evals', './packages/evals', 'test/**/*.test.ts'),
        node('durable', './packages/durable', 'test/**/*.test.ts'),
        withIconsInOneFile(
          inThreads(
            sharingModules(node('playground', './apps/playground', 'test/**/*.test.ts', [ofOnePage])),
          ),
        ),
        withIconsInOneFile(inThreads(node('playground-state', './apps/playground', ofOnePage))),
        inHappyDom(node('docs', './docs', 'examples/**/*.test.tsx')),
        node('e2e-server', './e2e/server', '*.test.ts'),
        afterTheOthers(node('faults', './e2e/faults', '*.test.ts')),
        afterTheOthers(node('core-timing', './packages/core', timingTests)),
        faultsInBrowser(chromium, 5),
        node('scripts', './scripts', '*.test.ts'),
        withSetup(
          browser('core-browser', './packages/core', 'test/**/*.browser.test.ts', chromium, [
            '@ai-sdk/mcp',
            'ai',
            'eventsource-parser',
            'zod',
            'zod/v4-mini',
          ]),
          // an MCP server on this machine, which a page can reach but not start
          'packages/core/test/mcp/global-setup.ts',
        ),
        node('react-server', './packages/react', 'test/**/*.server.test.tsx'),
        browser('react', './packages/react', 'test/**/!(*.server).test.{ts,tsx}', chromium, reactPackages),
        // of the same tests those of the hooks themselves; `pnpm test:long` has all that render, and what needs no
        // React says the same whichever it is
        react18(browser('react-18', './packages/react', ofHooks, chromium, reactPackages)),
        compiled(browser('react-compiled', './packages/react', ofHooks, chromium, reactPackages)),
      ],
    },
  };
});

const longTests = '**/*.long.test.ts';

/** Tests that compare how long things take: each file in modules of its own. */
const timingTests = 'test/**/*.timing.test.ts';

/** Tests of what a page has once, such as its stores and its address: each file in modules of its own. */
const ofOnePage = 'test/{evals,forks,history,layout,panes,prompts,sandbox,settings,share,state}/**/*.test.ts';

const rendering = 'test/**/!(*.server).test.tsx';

const ofHooks =
  'test/{lifetimes,react-build,transition,use-prompt,use-run,use-run-suspense,use-task-list}.test.tsx';

const reactPackages = [
  'react',
  'react-dom',
  'react-dom/client',
  'react/jsx-dev-runtime',
  '@ai-sdk/react',
  '@cueline/core > eventsource-parser',
  'ai',
  'fast-check',
  'idb',
  'zod',
  'zod/v4-mini',
];

/** `pnpm lint` finds the errors in other files: here they would fail the tests of unfinished work. */
const typeTests = {
  enabled: true,
  checker: 'tsc' as const,
  // of these tests alone: `pnpm lint` has checked all others by then
  tsconfig: 'tsconfig.types.json',
  include: ['test/**/*.test-d.{ts,tsx}'],
  ignoreSourceErrors: true,
} satisfies Partial<TypecheckConfig>;

function node(
  name: string,
  root: string,
  include: string,
  others: readonly string[] = [],
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      root,
      include: [include],
      exclude: [
        '**/*.browser.test.ts',
        longTests,
        ...(include === timingTests ? [] : [timingTests]),
        ...others,
      ],
      // the first test of a file loads the AI SDK, which takes its time on a busy machine
      testTimeout: 20_000,
      expect: { poll: { timeout: 10_000 } },
      environment: 'node',
      typecheck: { ...typeTests, enabled: name === 'core' },
    },
  };
}

/** Files that run in one worker share their modules, which are then loaded once. Not for tests that mock a module. */
function sharingModules(project: TestProjectInlineConfiguration): TestProjectInlineConfiguration {
  return { ...project, test: { ...project.test, isolate: false } };
}

/** A thread for a file starts in half the time of a process. Not for tests that count on a process of their own. */
function inThreads(project: TestProjectInlineConfiguration): TestProjectInlineConfiguration {
  return { ...project, test: { ...project.test, pool: 'threads' } };
}

/**
 * Loads the icons from one file. In an environment with a DOM, a test file would otherwise load a file for each icon
 * there is, which takes half a second.
 */
function withIconsInOneFile(project: TestProjectInlineConfiguration): TestProjectInlineConfiguration {
  const icons = new URL(
    'apps/playground/node_modules/lucide-react/dist/cjs/lucide-react.js',
    import.meta.url,
  );
  return { ...project, resolve: { alias: [{ find: /^lucide-react$/, replacement: fileURLToPath(icons) }] } };
}

/** Pages and tests that measure time need the machine for themselves: they run once the tests in Node have ended. */
const afterNode = { maxWorkers: 3, sequence: { groupOrder: 1 } };

function afterTheOthers(project: TestProjectInlineConfiguration): TestProjectInlineConfiguration {
  return { ...project, test: { ...project.test, ...afterNode } };
}

/** The tests that the documentation shows, set up as it says. */
function inHappyDom(project: TestProjectInlineConfiguration): TestProjectInlineConfiguration {
  return { ...project, test: { ...project.test, environment: 'happy-dom' } };
}

function long(name: string, root: string): TestProjectInlineConfiguration {
  return { extends: true, test: { name, root, include: [longTests], environment: 'node' } };
}

/** Also the laws, with every example of which `pnpm test` tries a sample. */
function withAllRuns(project: TestProjectInlineConfiguration): TestProjectInlineConfiguration {
  const include = [longTests, 'test/**/*laws.test.ts'];
  const test = { ...project.test, include, testTimeout: 120_000, env: { CUELINE_ALL_RUNS: '1' } };
  return { ...project, test };
}

/**
 * `bundled`: the packages the tests import. Found only while they run, these would make Vite reload the page under
 * them.
 */
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
      ...afterNode,
      typecheck: { ...typeTests, enabled: name === 'react' },
      // the first run of a page loads the runner, which takes its time on a busy machine
      expect: { poll: { timeout: 20_000 } },
      testTimeout: 40_000,
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

/** Every fault, or only some, as Chromium meets them. */
function faultsInBrowser(
  provider: BrowserProviderOption,
  everyFault: EveryFault,
): TestProjectInlineConfiguration {
  const bundled = ['@cueline/core > @ai-sdk/openai-compatible', 'ai', 'zod', 'zod/v4-mini'];
  const project = browser('faults-browser', './e2e/faults', 'chromium/*.browser.test.ts', provider, bundled);
  const { test } = withSetup(project, 'e2e/faults/chromium/global-setup.ts');
  return { ...project, test: { ...test, provide: { everyFault } } };
}

/** With a file that starts what its tests need, such as a server. */
function withSetup(project: TestProjectInlineConfiguration, path: string): TestProjectInlineConfiguration {
  const globalSetup = fileURLToPath(new URL(path, import.meta.url));
  return { ...project, test: { ...project.test, globalSetup } };
}

/** The oldest React that the hooks work with. */
function react18(project: TestProjectInlineConfiguration): TestProjectInlineConfiguration {
  const folder = (name: string): string =>
    fileURLToPath(new URL(`packages/react/node_modules/${name}-18`, import.meta.url));
  return {
    ...project,
    resolve: {
      // with everything below them, such as react-dom/client; packages that import React get this one, too
      alias: [
        { find: /^react(?=\/|$)/, replacement: folder('react') },
        { find: /^react-dom(?=\/|$)/, replacement: folder('react-dom') },
      ],
    },
    test: { ...project.test, env: { CUELINE_REACT: '18' } },
  };
}

/**
 * Everything through the React Compiler: the components of the tests, as applications compile theirs, and the hooks.
 */
function compiled(project: TestProjectInlineConfiguration): TestProjectInlineConfiguration {
  return {
    ...project,
    plugins: [reactCompiler()],
    optimizeDeps: { include: [...(project.optimizeDeps?.include ?? []), 'react/compiler-runtime'] },
    test: { ...project.test, env: { CUELINE_REACT: 'compiled' } },
  };
}

/** What the compiler itself cannot compile yet, wherever it stands: it leaves such a component as it is. */
const beyondTheCompiler = [
  // prompt.$`Plan a day in ${city}.` in a function that is written in the component
  'Handle tagged template with interpolations',
];

function reactCompiler(): PluginOption {
  const logger = {
    // what else it passes over breaks a rule of React: the file fails, and with it the tests
    logEvent(file: string | null, event: { kind: string; detail?: { reason: string } }): void {
      const reason = event.detail?.reason ?? event.kind;
      if (event.kind === 'CompileSuccess' || beyondTheCompiler.some((known) => reason.includes(known)))
        return;
      throw new Error(`The React Compiler passes over a part of ${file}: ${reason}`);
    },
  };
  const compiler = import('@rolldown/plugin-babel').then(({ default: babel }) =>
    babel({
      include: /\/packages\/react\/(src|test)\/.*\.tsx?$/,
      plugins: [[fileURLToPath(import.meta.resolve('babel-plugin-react-compiler')), { logger }]],
    }),
  );
  // Vite's plugins are Rolldown's, but for the undefined that Rolldown allows in optional fields
  return compiler as Promise<Plugin>;
}
