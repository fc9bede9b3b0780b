import TypeScriptWorker from 'monaco-editor/languages/features/typescript/ts.worker?worker';
import typesUrl from 'virtual:cueline-editor-types';

/** The bundled declarations, by their paths under `node_modules`. */
export type EditorTypes = { files: Record<string, string>; entries: Record<string, string> };

// TypeScript and the types load while the editor loads, and TypeScript loads in its own thread.
let started: Worker | undefined = new TypeScriptWorker();

/** Returns the worker that started loading with this module, or a new one if that one is taken. */
export function takeTypeScriptWorker(): Worker {
  const worker = started ?? new TypeScriptWorker();
  started = undefined;
  return worker;
}

/** The types of what a script may import. */
export const editorTypes: Promise<EditorTypes> = fetch(typesUrl).then(
  (response) => response.json() as Promise<EditorTypes>,
);
// the editor reports a failure when it awaits the types, which may be later
editorTypes.catch(() => {});
