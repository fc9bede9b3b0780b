import type ScriptEditor from './script-editor.tsx';

/** Starts to load TypeScript, which takes longest, in a thread of its own. */
export const startTypeScript = (): Promise<unknown> => import('./start-typescript.ts');

/** TypeScript, and Monaco in parts. Each part needs the parts before it. */
const parts: readonly (() => Promise<unknown>)[] = [
  startTypeScript,
  () => import('monaco-editor/editor/common/model/textModel'),
  () => import('monaco-editor/editor/browser/view'),
  () => import('monaco-editor/editor/standalone/browser/standaloneServices'),
  () => import('monaco-editor/editor'),
  () => import('./monaco-features.ts'),
];

/**
 * Loads the editor. Each part of Monaco is evaluated in its own task, because evaluating all of it at once would block
 * the page.
 */
export function loadScriptEditor(): Promise<{ default: typeof ScriptEditor }> {
  // if a part fails to load, the editor fails to load, too
  for (const load of parts) load().catch(() => {});
  return import('./script-editor.tsx');
}
