import { FileDiff, Play, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { replaceScript } from '../state/replace-script.ts';
import { startRun } from '../state/run-session.ts';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/modal.tsx';
import { TextDiff } from '../ui/text-diff.tsx';

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
      <Modal
        open={open}
        onOpenChange={setOpen}
        wide
        title="Changes since this run"
        description="What is struck through ran; what is underlined is in the editor now."
      >
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
          tabIndex={0}
          role="region"
          aria-label="Changed script"
          className="scroll mx-5 mb-5 max-h-[60dvh] rounded-lg border border-line bg-raised px-3 py-2.5 font-mono text-sm wrap-anywhere whitespace-pre-wrap"
        >
          <TextDiff before={ran} after={script} folds />
        </pre>
      </Modal>
    </div>
  );
}
