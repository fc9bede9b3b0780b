import { FileDiff, Play, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { replaceScript } from '../state/replace-script.ts';
import { startRun } from '../state/run-session.ts';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { ScriptChanges } from './later-parts.tsx';

/** Says that the script in the editor is not the one that ran; `ended` once the run can be started again. */
export function ScriptChangedBar({ ran, ended }: { ran: string; ended: boolean }) {
  const script = usePlayground((state) => state.script);
  const [open, setOpen] = useState(false);
  if (script === ran) return null;
  return (
    <div
      data-testid="script-changed"
      className="@container shrink-0 border-b border-line bg-raised py-1 pr-2 pl-4 text-sm text-ink-2"
    >
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
