import { lazy, Suspense } from 'react';
import { loadInspector, loadTimeline } from '../panes/load-later.ts';
import type { RunSession } from '../state/store.ts';

const InspectorPane = lazy(loadInspector);
const TimelineDock = lazy(loadTimeline);
const CopyStepLink = lazy(() =>
  import('../share/copy-step-link.tsx').then((it) => ({ default: it.CopyStepLink })),
);

const loading = <div aria-busy className="flex-1 bg-panel" />;

type DetailsProps = { session: RunSession };

/** The inspector of a run, once its code has loaded. */
export function Inspector({ session }: DetailsProps) {
  return (
    <Suspense fallback={loading}>
      <InspectorPane session={session} />
    </Suspense>
  );
}

/** The timeline of a run, once its code has loaded. */
export function Timeline({ session }: DetailsProps) {
  return (
    <Suspense fallback={loading}>
      <TimelineDock session={session}>
        <Suspense>
          <CopyStepLink session={session} />
        </Suspense>
      </TimelineDock>
    </Suspense>
  );
}

/** The timeline above the inspector, for a phone. */
export function Trace({ session }: DetailsProps) {
  return (
    <>
      <div className="flex h-[45%] min-h-0 shrink-0 flex-col border-b border-line short:h-60">
        <Timeline session={session} />
      </div>
      <div className="flex min-h-0 flex-1 flex-col short:h-80 short:flex-none">
        <Inspector session={session} />
      </div>
    </>
  );
}
