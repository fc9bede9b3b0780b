import { defineConfig, type OxlintOverride } from 'oxlint';

/**
 * The layers of core from the lowest to the highest. The files of a layer import from its own layer and from the
 * layers before it, types included. Every layer may import types from log/, because the log is what all of them write
 * or read.
 */
const layers = [
  'base',
  'tasks',
  'json',
  'models',
  'messages',
  'tools',
  'prompt',
  'log',
  'wire',
  'compile',
  'provider',
  'tool-calls',
  'engine',
  'executors',
  'durable',
  'client-tools',
  'storage',
  'run',
  'library',
  'chat',
  'agents',
  'plugins',
  'testing',
  'evals',
];

/** The layers of the edge, in the same order. */
const edgeLayers = ['base', 'limits', 'http', 'shares', 'stores', 'proxy', 'route'];

/** The layers of the playground, in the same order. */
const playgroundLayers = [
  'ui',
  'examples',
  'model',
  'sandbox',
  'input',
  'state',
  'settings',
  'tasks',
  'approval',
  'forks',
  'transcript',
  'request',
  'inspector',
  'timeline',
  'panes',
  'prompts',
  'evals',
  'history',
  'share',
  'editor',
  'layout',
];

type Restriction = {
  regex?: string;
  importNames?: string[];
  allowTypeImports?: boolean;
  message: string;
};
type NamedRestriction = Omit<Restriction, 'regex'> & { name: string };

const noDom = 'Core has no DOM: it runs in workers, at the edge and in Node.';
const noNode = 'Core has no Node: the environment is a parameter.';
const noReact = 'Core does not import React. That is packages/react.';
const byPublicName = 'Import a package by its public name.';

/** The setting of the rule about imports. */
type Restricted = NonNullable<NonNullable<OxlintOverride['rules']>['no-restricted-imports']>;

const restrict = (paths: NamedRestriction[], patterns: Restriction[]): Restricted => [
  'error',
  { paths, patterns },
];
const globals = (names: string, message: string): { name: string; message: string }[] =>
  names.split(' ').map((name) => ({ name, message }));

/** The layers after this one, from which its files do not import. */
function laterLayers(all: readonly string[], layer: string): Restriction[] {
  const later = all.slice(all.indexOf(layer) + 1);
  if (later.length === 0) return [];
  const message = `${layer}/ comes before this layer. See the lists of layers in oxlint.config.ts.`;
  return [{ regex: `^(\\.\\./)+(${later.join('|')})/`, message }];
}

/** What no file of the edge imports. */
function restrictEdge(layer?: string): Restricted {
  return restrict(
    [],
    [
      {
        regex: '^node:',
        message: "This package runs on every platform with the Web's own APIs: no Node modules.",
      },
      { regex: '^(react|react-dom|@cueline/react)(/|$)', message: 'This package runs on servers.' },
      { regex: '^(\\.\\./)+(packages/)?(core|react)/(src|dist)/', message: byPublicName },
      ...(layer === undefined ? [] : laterLayers(edgeLayers, layer)),
    ],
  );
}

/** What no file of an app, a test or an example imports. */
function restrictUsers(layer?: string): Restricted {
  return restrict(
    [],
    [
      { regex: '^(\\.\\./)+(packages/)?(core|react|edge)/(src|dist)/', message: byPublicName },
      ...(layer === undefined ? [] : laterLayers(playgroundLayers, layer)),
    ],
  );
}

/**
 * The modules that tests import although they are not public, by package. They are pure functions, or parts whose
 * faults no public name can cause at will (a store that fails at a chosen moment, a model's answer cut at every
 * byte). All other tests use public names.
 */
const testedModules: Record<string, readonly string[]> = {
  core: [
    // pure: an agent call's states, its labels, answers and tags
    'agents/call/call-state',
    'agents/call/check-agent',
    'agents/call/dialog',
    'agents/call/label-probabilities',
    'agents/call/read-answer',
    'agents/tags/fill-template',
    'agents/tags/parse-tags',
    // pure: conversations, with laws for any of them
    'agents/session/repair-messages',
    'messages/check-messages',
    'messages/pair-tool-messages',
    'messages/resolve-messages',
    'messages/tool-output',
    'messages/transcript-text',
    'messages/ui-messages',
    // pure: the task list as a state machine, with laws for any order of actions
    'tasks/create-task-list',
    'tasks/decision',
    'tasks/dynamic',
    'tasks/edits',
    'tasks/nudge',
    'tasks/render-window',
    'tasks/author-list',
    'tasks/task-list',
    // pure: readers of JSON, schemas, prompts and addresses
    'chat/chat-chunks',
    'chat/chat-turns',
    'compile/instructions',
    'compile/locate-parts',
    'json/is-same-json',
    'json/partial-json',
    'models/public-address',
    'tools/cap-output',
    'tools/rebase-schema',
    'wire/read-event-stream',
    // pure: what counts and decides about tool calls
    'tool-calls/limits',
    'tool-calls/loop-guard',
    'tool-calls/pending-responses',
    // the layer around a model call, whose model, clock and connection are the test's own
    'models/pinned-fetch',
    'provider/with-retries',
    // the seam between the engine and sessions
    'engine/convert-once',
    'engine/loop-policy',
  ],
  'demo-model': ['arguments-from-schema', 'hints'],
  edge: [
    // pure
    'base/utf8-length',
    'http/read-body',
    'http/respond',
    'limits/prices',
    'proxy/split-events',
    'route/chunk-stream',
    'route/streams',
    'route/redact-errors',
    'route/redact-requests',
    'route/settings',
    'route/usage/prompt-size',
    'stores/event-batch',
    'stores/follow-list',
    // runs over a store that fails or falls silent at a chosen moment
    'route/runs/host-run',
    'route/runs/remote-run',
    'route/runs/store-writer',
    'route/usage/run-budget',
  ],
  // the command as a script, and the type of the report's file
  evals: ['cli/main', 'report/eval-file'],
  react: [],
};

/** Private modules of other folders that tests of a package import. */
const borrowedModules = [
  '**/apps/edge-example/src/**',
  // the simulated model reads the task list that core writes
  '**/demo-model/src/parse-prompt.ts',
];

/** What no test of a package imports. */
function restrictTests(name: string): Restricted {
  const allowed = testedModules[name].map((module) => `!**/src/${module}.ts`);
  return [
    'error',
    {
      patterns: [
        {
          group: ['**/src/**', ...allowed, ...borrowedModules.map((module) => `!${module}`)],
          message: 'Tests use public names. The exceptions are listed in oxlint.config.ts.',
        },
        { regex: '^(\\.\\./)+(packages/)?(core|react|edge)/(src|dist)/', message: byPublicName },
      ],
    },
  ];
}

/** What no file of core imports; only engine/ calls a model. */
function restrictCore(layer?: string): Restricted {
  const callsModel = layer === 'engine';
  const later = layer === undefined ? [] : layers.slice(layers.indexOf(layer) + 1);
  const hidden = later.filter((name) => name !== 'log');
  return restrict(
    [
      { name: 'react', message: noReact },
      { name: 'react-dom', message: noReact },
      { name: 'zustand', message: "Core imports 'zustand/vanilla' only." },
      ...(callsModel
        ? []
        : [
            {
              name: 'ai',
              importNames: ['streamText', 'generateText', 'streamObject', 'generateObject', 'ToolLoopAgent'],
              allowTypeImports: true,
              message: 'Only engine/ calls a model.',
            },
          ]),
      ...(layer === 'compile'
        ? [
            {
              name: 'ai',
              allowTypeImports: true,
              message: 'compile/ is pure: it imports only types from ai.',
            },
          ]
        : []),
    ],
    [
      { regex: '^((react|react-dom)/|zustand/react|@ai-sdk/react)', message: noReact },
      {
        regex: '^@cueline/(core|react|edge)',
        message: 'Core does not import its own packages. Use a relative path.',
      },
      { regex: '^node:', message: 'Core runs in browsers and at the edge: no Node modules.' },
      ...(hidden.length === 0
        ? []
        : [
            {
              regex: `^(\\.\\./)+(${hidden.join('|')})/`,
              message: `${layer}/ comes before this layer. See the list of layers in oxlint.config.ts.`,
            },
          ]),
      ...(later.includes('log')
        ? [
            {
              regex: '^(\\.\\./)+log/',
              allowTypeImports: true,
              message: `${layer}/ imports only types from log/.`,
            },
          ]
        : []),
    ],
  );
}

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'react', 'vitest', 'jsx-a11y'],
  categories: {
    correctness: 'error',
    suspicious: 'error',
    perf: 'error',
  },
  options: {
    typeAware: true,
    // reports the compiler's errors, too, so that one pass reads each file
    typeCheck: true,
    reportUnusedDisableDirectives: 'error',
  },
  env: {
    builtin: true,
  },
  ignorePatterns: ['**/dist/**', '**/test-results/**', 'e2e/outside/**', 'bench/evals/others/**'],
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': [
      'error',
      {
        considerDefaultExhaustiveForUnions: true,
      },
    ],
    'import/no-cycle': [
      'error',
      {
        ignoreTypes: false,
      },
    ],
    eqeqeq: ['error', 'always'],
    'no-console': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/no-redundant-type-constituents': 'off',
    'typescript/unbound-method': 'off',
    'consistent-return': 'off',
    'no-await-in-loop': 'off',
    'no-underscore-dangle': 'off',
    'react/react-in-jsx-scope': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'import/no-unassigned-import': 'off',
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
    'import/default': 'off',
    'no-shadow': 'off',
    'typescript/prefer-as-const': 'off',
    'no-unused-expressions': [
      'error',
      {
        allowTaggedTemplates: true,
      },
    ],
    'oxc/no-map-spread': 'off',
    'jsx-a11y/prefer-tag-over-role': 'off',
    'react/no-array-index-key': 'off',
    'react/set-state-in-effect': 'off',
    'typescript/no-misused-spread': [
      'error',
      {
        allow: ['string'],
      },
    ],
    'react/exhaustive-effect-dependencies': 'off',
    'typescript/no-unnecessary-type-arguments': 'off',
    'vitest/require-mock-type-parameters': 'off',
    'vitest/valid-title': 'off',
    'vitest/valid-expect': [
      'error',
      {
        maxArgs: 2,
      },
    ],
    'vitest/no-conditional-expect': 'off',
    'vitest/require-to-throw-message': 'off',
  },
  overrides: [
    {
      files: ['packages/core/src/**'],
      rules: {
        'no-restricted-imports': restrictCore(),
        'no-restricted-globals': [
          'error',
          ...globals(
            'window document navigator location history localStorage sessionStorage indexedDB requestAnimationFrame XMLHttpRequest HTMLElement alert self',
            noDom,
          ),
          ...globals('process Buffer global __dirname __filename require setImmediate', noNode),
        ],
        'import/no-nodejs-modules': 'error',
      },
    },
    ...layers.map((layer) => ({
      files: [`packages/core/src/${layer}/**`],
      rules: { 'no-restricted-imports': restrictCore(layer) },
    })),
    {
      files: ['packages/core/src/base/report-in-development.ts'],
      rules: { 'no-console': 'off', 'no-restricted-globals': 'off' },
    },
    {
      files: ['packages/react/src/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            paths: [
              {
                name: 'react',
                importNames: ['useSyncExternalStore'],
                message:
                  'A streaming useSyncExternalStore subscription starves transitions: useState and an effect.',
              },
              {
                name: 'react',
                importNames: ['default'],
                message: 'Import the hooks by name.',
              },
              {
                name: 'ai',
                allowTypeImports: true,
                message: 'The React layer shows runs; core makes them.',
              },
            ],
            patterns: [
              {
                regex: '^node:',
                message: 'This package runs in browsers.',
              },
              {
                regex: '^use-sync-external-store',
                message:
                  'A streaming useSyncExternalStore subscription starves transitions: useState and an effect.',
              },
              {
                regex: '^(\\.\\./)+(packages/)?(core|react|edge)/(src|dist)/',
                message: byPublicName,
              },
            ],
          },
        ],
      },
    },
    {
      files: ['packages/edge/src/**'],
      rules: {
        'no-restricted-imports': restrictEdge(),
        'import/no-nodejs-modules': 'error',
      },
    },
    ...edgeLayers.map((layer) => ({
      files: [`packages/edge/src/${layer}/**`],
      rules: { 'no-restricted-imports': restrictEdge(layer) },
    })),
    {
      files: ['packages/*/test/**', 'apps/**', 'e2e/**', 'bench/**', 'docs/**'],
      rules: { 'no-restricted-imports': restrictUsers() },
    },
    ...Object.keys(testedModules).map((name) => ({
      files: [`packages/${name}/test/**`],
      rules: { 'no-restricted-imports': restrictTests(name) },
    })),
    ...playgroundLayers.map((layer) => ({
      files: [`apps/playground/src/${layer}/**`],
      rules: { 'no-restricted-imports': restrictUsers(layer) },
    })),
    {
      // the functions of these files define tests
      files: ['packages/evals/src/**'],
      rules: {
        'vitest/no-conditional-tests': 'off',
        'vitest/expect-expect': 'off',
        'no-empty-pattern': 'off',
      },
    },
    {
      files: ['**/test/**'],
      rules: {
        'react/globals': 'off',
        'react/immutability': 'off',
      },
    },
    {
      files: [
        'scripts/**',
        'bench/**',
        'docs/**',
        'e2e/**',
        'apps/edge-example/**',
        'packages/evals/src/cli/**',
      ],
      rules: {
        'no-console': 'off',
      },
    },
  ],
});
