import { clsx } from 'clsx';
import { usePlayground } from '../state/store.ts';
import { openView, views } from './panes.tsx';

/** The tabs of the views: in the top bar, or along the bottom of a phone. */
export function ViewTabs({ narrow }: { narrow: boolean }) {
  const current = usePlayground((state) => state.view);
  return (
    <nav
      aria-label="Views"
      className={clsx(
        'flex shrink-0',
        narrow ? 'border-t border-line bg-panel pb-[env(safe-area-inset-bottom)]' : 'h-full gap-1',
      )}
    >
      {views.map(({ view, title, Icon }) => (
        <button
          key={view}
          type="button"
          aria-current={view === current ? 'page' : undefined}
          onClick={() => openView(view)}
          className={clsx(
            'flex items-center justify-center gap-1.5 text-base focus-visible:-outline-offset-2',
            narrow
              ? 'h-12 flex-1 flex-col gap-0! text-xs! short:h-11'
              : 'h-full border-y-2 border-transparent px-2.5 forced-colors:border-[Canvas]',
            view === current
              ? clsx('font-medium text-ink', narrow ? '[&_svg]:text-go' : 'border-b-go!')
              : 'text-ink-2 hover:text-ink',
          )}
        >
          <Icon className="size-[15px] narrow:size-[18px]" />
          {title}
        </button>
      ))}
    </nav>
  );
}
