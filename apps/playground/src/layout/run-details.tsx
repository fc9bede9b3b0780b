import { lazyComponent } from '../panes/lazy-component.tsx';
import { InspectorPane, TimelineDock } from '../panes/lazy-panes.tsx';
import type { RunSession } from '../state/store.ts';
import { usePreparedMoments } from './use-prepared-moments.ts';

export const CopyStepLink = lazyComponent(() =>
  import('../share/copy-step-link.tsx').then((it) => it.CopyStepLink),
);

type DetailsProps = { session: RunSession };

/** The timeline of a run, once its code has loaded. */
export function Timeline({ session }: DetailsProps) {
  usePreparedMoments(session);
  return (
    <TimelineDock session={session}>
      <CopyStepLink session={session} />
    </TimelineDock>
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
        <InspectorPane session={session} />
      </div>
    </>
  );
}
