import { lazy, Suspense, useState } from 'react';
import { ScriptPicker } from '../history/script-picker.tsx';
import { usePlayground } from '../state/store.ts';
import { NoticeBar } from '../panes/notice-bar.tsx';
import { loadScriptEditor } from './load-script-editor.ts';
import { Problems, type Diagnostic } from './problems.tsx';

const ScriptEditor = lazy(loadScriptEditor);

/** The script: its origin, its text, its problems. */
export function EditorPane() {
  const [diagnostics, setDiagnostics] = useState<readonly Diagnostic[]>();
  const script = usePlayground((state) => state.script);
  return (
    <section aria-label="Script" className="flex min-h-0 flex-1 flex-col bg-panel">
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line px-4 text-sm narrow:h-11">
        <h2 className="sr-only">Script</h2>
        <ScriptPicker />
      </div>
      <NoticeBar />
      <div className="relative min-h-0 flex-1">
        <Suspense fallback={<Waiting script={script} />}>
          <ScriptEditor onDiagnostics={setDiagnostics} fallback={<Waiting script={script} />} />
        </Suspense>
      </div>
      <Problems diagnostics={diagnostics} />
    </section>
  );
}

/** The script as plain text in the editor's place and font, until the editor has loaded. */
function Waiting({ script }: { script: string }) {
  return (
    <pre
      aria-busy
      className="absolute inset-0 overflow-hidden pt-3 pl-[62px] font-mono text-base leading-[20px] text-ink-2"
    >
      {script}
    </pre>
  );
}
