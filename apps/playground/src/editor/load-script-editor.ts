import type ScriptEditor from './script-editor.tsx';

/** TypeScript, which takes longest, and Monaco in parts, each of which needs those before it. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('./start-typescript.ts'),
  () => import('monaco-editor/editor/common/model/textModel'),
  () => import('monaco-editor/editor/browser/view'),
  () => import('monaco-editor/editor/standalone/browser/standaloneServices'),
  () => import('monaco-editor/editor'),
  () => import('./monaco-features.ts'),
];

/** Loads the editor. Each part of Monaco is evaluated in a task of its own: all of it in one would hold up the page. */
export function loadScriptEditor(): Promise<{ default: typeof ScriptEditor }> {
  // if one of them fails, the editor itself does
  for (const load of parts) load().catch(() => {});
  return import('./script-editor.tsx');
}
