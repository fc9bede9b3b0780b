import { initialize } from 'monaco-editor/internal/common/initialize';
import {
  TypeScriptWorker,
  type Scripts,
  type ScriptModel,
} from 'monaco-editor/languages/features/typescript/tsWorker';
import workerGlobals from './worker-globals.d.ts.txt?raw';

/** The bundled declarations by their paths under `node_modules`, and the path of each module's declarations. */
type EditorTypes = { files: Record<string, string>; entries: Record<string, string> };

/** As TypeScript numbers them. */
const ESNEXT = 99;
const BUNDLER = 100;
const FORCE = 3;

const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ESNEXT,
  module: ESNEXT,
  moduleResolution: BUNDLER,
  moduleDetection: FORCE,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  types: [],
  allowImportingTsExtensions: true,
  baseUrl: 'file:///',
};

/** Monaco's TypeScript with the types of what a script may import. Without these types, it checks only syntax. */
class ScriptChecker extends TypeScriptWorker {
  readonly #types: EditorTypes | undefined;

  constructor(scripts: Scripts, types: EditorTypes | undefined) {
    super(scripts, {
      compilerOptions: {
        ...compilerOptions,
        paths: mapped(types?.entries, (name, path) => [name, [`file:///node_modules/${path}`]]),
      },
      extraLibs: {
        'file:///worker-globals.d.ts': { content: workerGlobals, version: 1 },
        ...mapped(types?.files, (path, content) => [`file:///node_modules/${path}`, { content, version: 1 }]),
      },
      inlayHintsOptions: {},
    });
    this.#types = types;
  }

  /** Without the types, every import would be an error. */
  override async getSemanticDiagnostics(path: string): Promise<unknown[]> {
    return this.#types === undefined ? [] : super.getSemanticDiagnostics(path);
  }
}

function mapped<Value>(
  from: Record<string, string> = {},
  entry: (key: string, value: string) => [string, Value],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => entry(key, value)));
}

/** The page's first message: the address of the types, and the script that the editor will show first. */
export type FirstCheck = { typesUrl: string; path: string; text: string };
/** The answer to it, which comes before all answers to Monaco. */
export type FirstResult = { isClean: boolean | undefined };

/** What the page sends while TypeScript starts: its own first message, then Monaco's messages. */
const early: unknown[] = [];
addEventListener('message', collect);

function collect({ data }: MessageEvent<unknown>): void {
  early.push(data);
  if (early.length === 1) void start(data as FirstCheck);
}

/** Starts TypeScript, and then gives it the messages that have come meanwhile. */
async function start(first: FirstCheck): Promise<void> {
  const checker = await startChecker(first);
  removeEventListener('message', collect);
  // Monaco's first message contains no request
  addEventListener('message', () => initialize(checker), { once: true });
  for (const data of early.slice(1)) dispatchEvent(new MessageEvent('message', { data }));
}

/** The longest that TypeScript waits for the types, in milliseconds. */
const MAX_LOAD_MS = 60_000;

/** Loads the types, and checks the first script before the editor asks for it. */
async function startChecker(check: FirstCheck): Promise<(opened: Scripts) => ScriptChecker> {
  const { typesUrl, path, text } = check;
  const types = await fetch(typesUrl, { signal: AbortSignal.timeout(MAX_LOAD_MS) })
    .then((response) => response.json() as Promise<EditorTypes>)
    // without the types, for example because the network failed, the editor checks syntax
    .catch(() => undefined);
  const first = firstModel(path, text);
  let scripts: Scripts = { getMirrorModels: () => [first] };
  const checker = new ScriptChecker({ getMirrorModels: () => scripts.getMirrorModels() }, types);
  postMessage({ isClean: await isClean(checker, path) } satisfies FirstResult);
  return (opened) => {
    scripts = {
      getMirrorModels: () => opened.getMirrorModels().map((model) => (isSame(model, first) ? first : model)),
    };
    return checker;
  };
}

/**
 * True if a script has no errors; undefined if TypeScript fails on it. The editor will get that failure when it asks.
 */
async function isClean(checker: ScriptChecker, path: string): Promise<boolean | undefined> {
  try {
    const syntax = await checker.getSyntacticDiagnostics(path);
    const semantics = await checker.getSemanticDiagnostics(path);
    return syntax.length + semantics.length === 0;
  } catch {
    return undefined;
  }
}

/**
 * The first script as the checker sees it, until its text changes. Monaco's own model of it has another version, so
 * TypeScript would check the same text again.
 */
function firstModel(path: string, text: string): ScriptModel {
  return { uri: { path: new URL(path).pathname, toString: () => path }, version: 0, getValue: () => text };
}

function isSame(model: ScriptModel, other: ScriptModel): boolean {
  return model.uri.toString() === other.uri.toString() && model.getValue() === other.getValue();
}
