/// <reference types="vite/client" />
import { Editor, loader } from '@monaco-editor/react';
import * as monaco from 'monaco-editor';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
import TypeScriptWorker from 'monaco-editor/languages/features/typescript/ts.worker?worker';
import { wrongLine } from '../wrong-line.ts';

self.MonacoEnvironment = {
  getWorker: (_id, label) => (label === 'typescript' ? new TypeScriptWorker() : new EditorWorker()),
};
loader.config({ monaco: monaco as never });

/** An editor as its own documentation shows it, with the same wrong line. */
export default function EditorPage() {
  return <Editor height="800px" language="typescript" value={wrongLine} />;
}
