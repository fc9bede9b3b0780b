import { initialize } from 'monaco-editor/internal/common/initialize';
import { TypeScriptWorker } from 'monaco-editor/languages/features/typescript/tsWorker';
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

/** Monaco's TypeScript with the types of what a script may import, or, without them, for syntax only. */
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

/** The scripts that the page has open. */
type Scripts = { getMirrorModels(): readonly unknown[] };

function mapped<Value>(
  from: Record<string, string> = {},
  entry: (key: string, value: string) => [string, Value],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => entry(key, value)));
}

/** What the page sends while TypeScript starts: first the address of the types, then Monaco's messages. */
const early: unknown[] = [];
addEventListener('message', collect);

function collect({ data }: MessageEvent<unknown>): void {
  early.push(data);
  if (early.length === 1) void start(data as string);
}

/** Starts TypeScript, and then gives it the messages that have come meanwhile. */
async function start(typesUrl: string): Promise<void> {
  const checker = await startChecker(typesUrl);
  removeEventListener('message', collect);
  // Monaco's first message only says that it is there
  addEventListener('message', () => initialize(checker), { once: true });
  for (const data of early.slice(1)) dispatchEvent(new MessageEvent('message', { data }));
}

/** The longest that TypeScript waits for the types, in milliseconds. */
const LONGEST_LOAD_MS = 60_000;

/** Loads the types and lets TypeScript read them. That takes longest, so it does not wait for the first script. */
async function startChecker(typesUrl: string): Promise<(opened: Scripts) => ScriptChecker> {
  const types = await fetch(typesUrl, { signal: AbortSignal.timeout(LONGEST_LOAD_MS) })
    .then((response) => response.json() as Promise<EditorTypes>)
    // without the types, for example because the network failed, the editor checks syntax
    .catch(() => undefined);
  let scripts: Scripts | undefined;
  const checker = new ScriptChecker({ getMirrorModels: () => scripts?.getMirrorModels() ?? [] }, types);
  checker.getLanguageService().getProgram();
  return (opened) => {
    scripts = opened;
    return checker;
  };
}
