import { Tooltip } from 'radix-ui';
import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { NarrowLayout } from './layout/narrow-layout.tsx';
import { preload } from './layout/preload.ts';
import { TopBar } from './layout/top-bar.tsx';
import { useKeptFocus } from './layout/use-kept-focus.ts';
import { useRunKeys } from './layout/use-run-keys.ts';
import { WideLayout } from './layout/wide-layout.tsx';
import { FollowMoment } from './state/moment/followed-moment.tsx';
import { watchScript } from './state/script-check.ts';
import { onStorageProblem } from './state/store.ts';
import { useNarrow, useTheme } from './state/theme.ts';
import { useTimelineKeys } from './timeline/use-timeline-keys.ts';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { storageMessage, toast } from './ui/toast.ts';

// dialogs and messages load after the first paint
const Toasts = lazy(() => import('./layout/toasts.tsx').then((it) => ({ default: it.Toasts })));
const Dialogs = lazy(() => import('./layout/dialogs.tsx').then((it) => ({ default: it.Dialogs })));

const toasts: ReactNode = (
  <ErrorBoundary fallback={null}>
    <Suspense>
      <Toasts />
    </Suspense>
  </ErrorBoundary>
);

/** How long the page waits before it prepares the first run in the background, in milliseconds. */
const AHEAD_AFTER_MS = 600;

export function App() {
  useTheme();
  const narrow = useNarrow();
  useRunKeys();
  useKeptFocus();
  useTimelineKeys();
  useEffect(() => {
    onStorageProblem((message) => toast.warning(message, { id: storageMessage, duration: 15_000 }));
    const timer = setTimeout(() => void preload(), AHEAD_AFTER_MS);
    const stopWatching = watchScript();
    return () => {
      clearTimeout(timer);
      stopWatching();
    };
  }, []);
  return (
    <Tooltip.Provider delayDuration={350}>
      <div className="flex h-dvh min-h-[400px] flex-col narrow:min-h-[320px]">
        <TopBar narrow={narrow} />
        <main className="flex min-h-0 flex-1 flex-col">
          <FollowMoment>{narrow ? <NarrowLayout /> : <WideLayout toasts={toasts} />}</FollowMoment>
        </main>
      </div>
      <ErrorBoundary fallback={null}>
        <Suspense>
          <Dialogs />
        </Suspense>
      </ErrorBoundary>
      {narrow && toasts}
    </Tooltip.Provider>
  );
}
