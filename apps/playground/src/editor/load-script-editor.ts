import type * as ScriptEditorModule from './script-editor.tsx';

/**
 * Monaco in parts. Each part needs the parts before it. TypeScript starts in a thread of its own; before the first part is
 * there, it would delay that part.
 */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('monaco-editor/editor/common/model/textModel').then(() => import('./start-typescript.ts')),
  () => import('monaco-editor/editor/browser/view'),
  () => import('monaco-editor/editor/standalone/browser/standaloneServices'),
  () => import('monaco-editor/editor'),
  () => import('monaco-editor/languages/features/typescript/tsMode'),
  () => import('./monaco-features.ts'),
];

/**
 * Loads the editor. Each part of Monaco is evaluated in its own task, because evaluating all of it at once would block
 * the page.
 */
export function loadScriptEditor(): Promise<typeof ScriptEditorModule> {
  // if a part fails to load, the editor fails to load, too
  for (const load of parts) load().catch(() => {});
  return import('./script-editor.tsx');
}

/** The longest that other parts of the page wait for the editor, in milliseconds. */
const LONGEST_WAIT_MS = 1_000;

let showEditor: () => void = () => {};
const editorShown: Promise<void> = new Promise((resolve) => (showEditor = resolve));

/** Resolves when the editor has shown a script, or after a second. */
export function waitForEditor(): Promise<void> {
  return Promise.race([editorShown, new Promise<void>((resolve) => setTimeout(resolve, LONGEST_WAIT_MS))]);
}

/** Tells the parts that wait for the editor that it shows a script. */
export function reportEditorShown(): void {
  showEditor();
}
