import { clsx } from 'clsx';
import { useEffect, useState } from 'react';
import { usePlayground } from '../../state/store.ts';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/modal.tsx';
import { TextDiff } from '../../ui/text-diff.tsx';
import { formatClock, formatDay } from '../format-when.ts';
import type { VersionRow } from '../rows.ts';
import { readVersions, restoreVersion } from '../script-actions.ts';

const reasons = {
  run: 'when it ran',
  switch: 'before another script',
  restore: 'before a version was restored',
  conflict: 'edited in another tab',
} as const;

/** The earlier versions of the script in the editor, each with its difference from the current text. */
export function VersionsDialog({ onClose }: { onClose: () => void }) {
  const script = usePlayground((state) => state.script);
  const [versions, setVersions] = useState<readonly VersionRow[]>();
  const [chosen, setChosen] = useState<VersionRow>();
  useEffect(() => {
    void (async () => {
      const read = await readVersions();
      const others = read.filter(({ text }) => text !== usePlayground.getState().script);
      setVersions(others);
      setChosen(others[0]);
    })();
  }, []);
  return (
    <Modal
      open
      onOpenChange={onClose}
      title="Earlier versions"
      description="A version is kept when the script runs, and when another script takes its place in the editor."
    >
      {versions?.length === 0 && <p className="px-5 pb-5 text-ink-2">There is no other version yet.</p>}
      {versions !== undefined && versions.length > 0 && (
        <>
          <ul aria-label="Versions" className="scroll max-h-44 border-y border-line p-1.5">
            {versions.map((version) => (
              <li key={version.id}>
                <button
                  type="button"
                  aria-pressed={version === chosen}
                  onClick={() => setChosen(version)}
                  className={clsx(
                    'flex h-8 w-full items-center gap-2 rounded-md px-3.5 text-left tabular-nums hover:bg-hover narrow:h-11',
                    version === chosen && 'bg-hover font-medium',
                  )}
                >
                  <span>
                    {formatDay(version.savedOn)}, {formatClock(version.savedOn)}
                  </span>
                  <span className="ml-auto font-normal text-ink-3">{reasons[version.reason]}</span>
                </button>
              </li>
            ))}
          </ul>
          {chosen !== undefined && (
            <pre
              // it scrolls, so a keyboard must reach it
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
              tabIndex={0}
              role="region"
              aria-label="What restoring it changes"
              className="scroll max-h-72 bg-page px-5 py-3 font-mono text-sm wrap-anywhere whitespace-pre-wrap"
            >
              <TextDiff before={script} after={chosen.text} />
            </pre>
          )}
          <footer className="flex justify-end gap-2 border-t border-line px-5 py-3">
            <Button onClick={onClose}>Cancel</Button>
            <Button
              variant="primary"
              disabled={chosen === undefined}
              onClick={() => {
                if (chosen !== undefined) void restoreVersion(chosen);
                onClose();
              }}
            >
              Restore this version
            </Button>
          </footer>
        </>
      )}
    </Modal>
  );
}
