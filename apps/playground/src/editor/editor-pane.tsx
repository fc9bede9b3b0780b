import { useEffect, useState } from 'react';
import { ScriptPicker } from '../history/script-picker.tsx';
import { NoticeBar } from '../panes/notice-bar.tsx';
import { usePlayground } from '../state/store.ts';
import { loadScriptEditor } from './load-script-editor.ts';
import { Problems, type Checked } from './problems.tsx';
import type ScriptEditor from './script-editor.tsx';

/** The script: its origin, its text, its problems. */
export function EditorPane() {
  const [checked, setChecked] = useState<Checked>();
  const id = usePlayground((state) => state.openScript.id);
  const script = usePlayground((state) => state.script);
  const { Editor, failed } = useEditor();
  return (
    <section aria-label="Script" className="flex min-h-0 flex-1 flex-col bg-panel">
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line px-4 text-sm narrow:h-11">
        <h2 className="sr-only">Script</h2>
        <ScriptPicker />
      </div>
      <NoticeBar />
      <div className="relative min-h-0 flex-1">
        {Editor === undefined ? (
          <Waiting script={script} />
        ) : (
          <Editor onChecked={setChecked} fallback={<Waiting script={script} />} />
        )}
      </div>
      {failed ? (
        <p role="alert" className="shrink-0 border-t border-line px-4 py-2 text-sm text-danger">
          The editor could not be loaded. Reload the page to edit the script.
        </p>
      ) : (
        <Problems diagnostics={checked?.id === id ? checked.diagnostics : undefined} />
      )}
    </section>
  );
}

type Loaded = { Editor?: typeof ScriptEditor; failed: boolean };

/**
 * The editor, once its code has loaded. It uses state instead of a Suspense boundary, which React would update only
 * after all frames of a run that plays meanwhile.
 */
function useEditor(): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ failed: false });
  useEffect(() => {
    let isHere = true;
    const load = async (): Promise<Loaded> => {
      const { default: Editor, prepareEditor } = await loadScriptEditor();
      if (isHere) await prepareEditor();
      return { Editor, failed: false };
    };
    load().then(
      (it) => isHere && setLoaded(it),
      () => isHere && setLoaded({ failed: true }),
    );
    return () => {
      isHere = false;
    };
  }, []);
  return loaded;
}

/** The script as plain text in the editor's place and font, until the editor has loaded. */
function Waiting({ script }: { script: string }) {
  return (
    <pre
      aria-busy
      className="absolute inset-0 overflow-hidden pt-3 pl-[52px] font-mono text-base leading-[20px] text-ink-2"
    >
      {script}
    </pre>
  );
}
