import { FileCode2, FileDiff, Play, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { replaceScript } from '../state/replace-script.ts';
import { startRun } from '../state/run-session.ts';
import { compareScript, scriptNameOf, usePlayground, type RunSession } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { ScriptChanges } from './lazy-panes.tsx';

type ScriptChangedBarProps = {
  session: RunSession;
  /** True once the run can be started again. */
  ended: boolean;
  /** Puts the script of the run into the editor. */
  onOpen: (session: RunSession) => void;
};

/** Says that the script in the editor is not the one that ran: it was edited since, or it is another one. */
export function ScriptChangedBar({ session, ended, onOpen }: ScriptChangedBarProps) {
  const script = usePlayground((state) => state.script);
  const editor = usePlayground((state) => compareScript(state, session));
  const [open, setOpen] = useState(false);
  if (editor === 'same' || !('script' in session.source)) return null;
  const ran = session.source.script;
  const bar = '@container shrink-0 border-b border-line bg-raised py-1 pr-2 pl-4 text-sm text-ink-2';
  if (editor === 'other') {
    return (
      <div data-testid="script-changed" className={bar}>
        <div className="flex items-center gap-x-1">
          <p className="min-w-0 flex-1 py-1 wrap-anywhere">This run is of “{scriptNameOf(session)}”.</p>
          <Button className="px-2! text-sm" onClick={() => onOpen(session)}>
            <FileCode2 className="@max-[560px]:hidden" />
            Open it
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div data-testid="script-changed" className={bar}>
      <div className="flex flex-wrap items-center gap-x-1">
        <p className="min-w-0 flex-1 py-1 narrow:basis-full">The script has changed since this run.</p>
        <Button className="px-2! text-sm" onClick={() => setOpen(true)}>
          <FileDiff className="@max-[560px]:hidden" />
          Show changes
        </Button>
        <Button className="px-2! text-sm" onClick={() => replaceScript(ran, 'The script that ran')}>
          <Undo2 className="@max-[560px]:hidden" />
          Restore
        </Button>
        {ended && (
          <Button className="px-2! text-sm" onClick={startRun}>
            <Play className="@max-[560px]:hidden" />
            Run again
          </Button>
        )}
      </div>
      {open && <ScriptChanges ran={ran} script={script} onClose={() => setOpen(false)} />}
    </div>
  );
}
