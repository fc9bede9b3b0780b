import type { Plugin } from 'vite';

const gateway = `
  class Absent extends Error { static isInstance() { return false; } }
  export { Absent as GatewayError, Absent as GatewayAuthenticationError };
  export const gateway = () => { throw new Error('There is no gateway here. Pass a model object.'); };
  export const createGateway = () => gateway;`;

/** The package through which the page calls models. */
const ownProviders = ['openai', 'openai-compatible'];

const otherProviders = [
  'amazon-bedrock',
  'anthropic',
  'azure',
  'cohere',
  'deepseek',
  'fireworks',
  'google',
  'google-vertex/edge',
  'groq',
  'mistral',
  'perplexity',
  'togetherai',
  'xai',
];

/** Removes the AI SDK's models by bare string. Here a model is always an object. */
export function withoutGateway(): Plugin {
  return replaced('gateway', new Map([['@ai-sdk/gateway', gateway]]));
}

/** Removes everything that needs a network, which the sandbox does not have. */
export function withoutProviders(): Plugin {
  const message = 'Models are called by the page, not in the sandbox.';
  return replaced('providers', throwing([...ownProviders, ...otherProviders], message));
}

/** Removes the packages of providers that no connection of the page uses. */
export function withoutOtherProviders(): Plugin {
  const message = 'The playground calls OpenAI and servers that are compatible with it.';
  return replaced('other-providers', throwing(otherProviders, message));
}

/** Monaco's editors for differences. Its code editor imports them, and the playground has none. */
const diffEditors =
  /monaco-editor.*\/(diffEditor\/diffEditorWidget|multiDiffEditor\/multiDiffEditorWidget)\.js$/;
/** The module that starts Monaco's TypeScript worker. It imports every feature of the editor, and uses none. */
const workerStarter = /monaco-editor.*\/internal\/common\/workers\.js$/;
/** The module that names Monaco's own TypeScript worker. The playground starts a worker with the types instead. */
const workerOwner = /monaco-editor.*\/typescript\/workerManager\.js$/;

/**
 * Removes what the editor imports and the playground does not use, such as features that `monaco-features.ts` does not
 * name. Fails the build if Monaco has moved these modules.
 */
export function withoutUnusedEditors(): Plugin {
  const found = new Set<string>();
  const cut = cutMonaco((id) => found.add(id));
  return {
    ...cut,
    // the development server bundles Monaco apart from the page
    config: () => ({ optimizeDeps: { rolldownOptions: { plugins: [cut] } } }),
    buildEnd(error) {
      if (error !== undefined || this.environment.mode !== 'build' || found.size === 4) return;
      const names = [...found].join(', ') || 'none';
      this.error(`Four modules of Monaco must be cut, but found: ${names}. Correct the patterns above.`);
    },
  };
}

/** Imports for their effects only. */
const featureImports = /^import '[^']+';$/gm;
/** The line of that module that starts Monaco's worker. */
const ownWorker = /createWorker: \(\) => new Worker\(new URL\('ts\.worker\.js'.*\),$/gm;

function cutMonaco(onFound: (id: string) => void) {
  const noDiffEditors = 'export class DiffEditorWidget {}\nexport class MultiDiffEditorWidget {}';
  return {
    name: 'cueline:absent-editors',
    enforce: 'pre' as const,
    load(id: string) {
      if (!diffEditors.test(id)) return undefined;
      onFound(id);
      return noDiffEditors;
    },
    transform(code: string, id: string) {
      const unused = workerStarter.test(id) ? featureImports : workerOwner.test(id) ? ownWorker : undefined;
      if (unused === undefined) return undefined;
      const kept = code.replaceAll(unused, '');
      if (kept !== code) onFound(id);
      return kept;
    },
  };
}

/** The module with TypeScript's own declarations. */
const declarations = /monaco-editor.*\/typescript\/lib\/lib\.js$/;
/** The declarations of a document and of other hosts. A script has the globals of `worker-globals.d.ts.txt` instead. */
const ofOtherHosts = /^libFileMap\["lib\.(?:dom|webworker|scripthost)\b[^]*?(?=^libFileMap\[|^export )/gm;

/**
 * Removes TypeScript's declarations of what scripts do not have: they are a third of its worker. Fails the build if
 * Monaco has moved or changed them.
 */
export function withoutOtherHosts(): Plugin {
  return {
    name: 'cueline:absent-hosts',
    enforce: 'pre',
    transform: (code, id) => (declarations.test(id) ? code.replaceAll(ofOtherHosts, '') : undefined),
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk' && file.code.includes('interface HTMLElement extends ')) {
          this.error("TypeScript's declarations of the DOM must be cut. Correct the patterns above.");
        }
      }
    },
  };
}

function throwing(names: readonly string[], message: string): Map<string, string> {
  return new Map(names.map((name) => [`@ai-sdk/${name}`, `throw new Error(${JSON.stringify(message)});`]));
}

function replaced(name: string, modules: ReadonlyMap<string, string>): Plugin {
  const prefix = `\0absent-${name}:`;
  return {
    name: `cueline:absent-${name}`,
    enforce: 'pre',
    resolveId: (id) => (modules.has(id) ? prefix + id : undefined),
    load: (id) => (id.startsWith(prefix) ? modules.get(id.slice(prefix.length)) : undefined),
  };
}
