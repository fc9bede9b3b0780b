import { BookOpenCheck, LoaderCircle, RotateCw, Undo2, Unlink, X } from 'lucide-react';
import { runsWith } from '../model/connection.ts';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';

/** The origin of the script, or why a link was not opened. */
export function NoticeBar() {
  const notice = usePlayground((state) => state.notice);
  const previous = usePlayground((state) => (state.view === 'script' ? state.previousScript : undefined));
  const restore = usePlayground((state) => state.restoreScript);
  const uses = usePlayground(({ connection, keys }) => runsWith(connection, keys));
  if (notice === undefined) return null;
  if (notice.kind === 'opening') {
    return (
      <p
        role="status"
        data-testid="notice"
        className="flex shrink-0 items-center gap-2.5 border-b border-line px-4 py-2.5 text-ink-2"
      >
        <LoaderCircle className="size-4 shrink-0 animate-spin" />
        Opening the link…
      </p>
    );
  }
  const refused = notice.kind === 'refused';
  return (
    <div
      role={refused ? 'alert' : 'status'}
      data-testid="notice"
      className={`flex shrink-0 items-center gap-2.5 border-b border-line py-1.5 pr-2 pl-4 narrow:flex-wrap narrow:gap-y-1 ${refused ? 'bg-danger-soft text-danger' : 'bg-warn-soft text-warn'}`}
    >
      {refused ? <Unlink className="size-4 shrink-0" /> : <BookOpenCheck className="size-4 shrink-0" />}
      <p className="min-w-0 flex-1 wrap-anywhere narrow:basis-[60%]">
        {notice.kind === 'refused'
          ? notice.message
          : `Opened from a ${notice.from} — read it before you run it.${uses === undefined ? '' : ` ${uses}`}`}
      </p>
      {!refused && previous !== undefined && (
        <Button variant="outline" onClick={restore} className="narrow:order-last narrow:ml-6.5">
          <Undo2 />
          Back to your script
        </Button>
      )}
      {notice.kind === 'refused' && notice.tryAgain !== undefined && (
        <Button variant="outline" onClick={notice.tryAgain} className="narrow:order-last narrow:ml-6.5">
          <RotateCw />
          Try again
        </Button>
      )}
      <Button square aria-label="Dismiss" onClick={() => usePlayground.setState({ notice: undefined })}>
        <X />
      </Button>
    </div>
  );
}
