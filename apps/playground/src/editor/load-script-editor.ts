import type * as ScriptEditorModule from './script-editor.tsx';
import { endWaitForEditor } from './wait-for-editor.ts';

/**
 * Monaco in parts. Each part needs the parts before it. TypeScript starts in a thread of its own; any earlier, it would
 * delay these parts.
 */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('monaco-editor/editor/common/model/textModel'),
  () => import('monaco-editor/editor/browser/view'),
  () =>
    import('monaco-editor/editor/standalone/browser/standaloneServices').then(
      () => import('./start-typescript.ts'),
    ),
  () => import('monaco-editor/editor'),
  () => import('monaco-editor/languages/features/typescript/tsMode'),
  () => import('./monaco-features.ts'),
];

let shownFirst: Promise<void> = Promise.resolve();

/** Makes the editor wait until `shown` resolves or rejects. */
export function loadEditorAfter(shown: Promise<void>): void {
  shownFirst = shown.catch(() => {});
}

/**
 * Loads the editor. Each part of Monaco is evaluated in its own task, because evaluating all of it at once would block
 * the page.
 */
export async function loadScriptEditor(): Promise<typeof ScriptEditorModule> {
  await shownFirst;
  // if a part fails to load, the editor fails to load, too
  for (const load of parts) load().catch(() => {});
  const editor = import('./script-editor.tsx');
  editor.catch(endWaitForEditor);
  return editor;
}
