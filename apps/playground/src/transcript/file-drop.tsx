import { Paperclip } from 'lucide-react';
import { useEffect, useState, type RefObject } from 'react';

type FileDropProps = {
  /** The element that files may be dropped on. */
  pane: RefObject<HTMLElement | null>;
  /** Gets the files; undefined while there is no message that they could be part of. */
  onFiles: ((files: readonly File[]) => void) | undefined;
};

/** Takes files that are dropped on a pane, and shows over it where they would land. */
export function FileDrop({ pane, onFiles }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const target = pane.current;
    if (target === null) return undefined;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      // without this the browser would leave the page for the file
      event.preventDefault();
      if (event.dataTransfer !== null)
        event.dataTransfer.dropEffect = onFiles === undefined ? 'none' : 'copy';
      setOver(onFiles !== undefined);
    };
    const leave = (event: DragEvent): void => {
      if (!target.contains(event.relatedTarget as Node | null)) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      onFiles?.([...(event.dataTransfer?.files ?? [])]);
    };
    target.addEventListener('dragover', over);
    target.addEventListener('dragleave', leave);
    target.addEventListener('drop', drop);
    return () => {
      target.removeEventListener('dragover', over);
      target.removeEventListener('dragleave', leave);
      target.removeEventListener('drop', drop);
    };
  }, [pane, onFiles]);
  if (!isOver) return null;
  return (
    <div
      data-testid="drop-target"
      className="pointer-events-none absolute inset-2 z-10 grid place-items-center rounded-lg border-2 border-dashed border-focus bg-page/95"
    >
      <p className="flex items-center gap-2 text-lg font-medium">
        <Paperclip aria-hidden className="size-4" />
        Drop to attach to your reply
      </p>
    </div>
  );
}
