import TypeScriptWorker from 'monaco-editor/languages/features/typescript/ts.worker?worker';
import typesUrl from 'virtual:cueline-editor-types';

/** The bundled declarations, by their paths under `node_modules`. */
export type EditorTypes = { files: Record<string, string>; entries: Record<string, string> };

// TypeScript and the types load while the editor does, and TypeScript in a thread of its own.
let started: Worker | undefined = new TypeScriptWorker();

/** The worker that began to load with this module; a new one once that is taken. */
export function takeTypeScriptWorker(): Worker {
  const worker = started ?? new TypeScriptWorker();
  started = undefined;
  return worker;
}

/** The types of what a script may import. */
export const editorTypes: Promise<EditorTypes> = fetch(typesUrl).then(
  (response) => response.json() as Promise<EditorTypes>,
);
// the editor reports a failure when it awaits them, which may be later
editorTypes.catch(() => {});
