import { CircleAlert, LoaderCircle } from 'lucide-react';
import { usePreview } from '../state/preview.ts';
import { usePlayground } from '../state/store.ts';
import { lazyComponent } from './lazy-component.tsx';

// loaded once the preview is open
const RequestView = lazyComponent(() => import('../request/request-view.tsx').then((it) => it.RequestView));

/** The first request that the script in the editor would send. No model is called. */
export function PreviewPane() {
  const { last, problem, needsInput, checking } = usePreview();
  const script = usePlayground((state) => state.script);
  const isOld = last !== undefined && last.script !== script;
  return (
    <section
      aria-label="Preview of the request"
      className="scroll min-h-0 flex-1 short:min-h-32 bg-panel focus-visible:-outline-offset-2"
      tabIndex={-1}
    >
      <div className="grid gap-2 border-b border-line px-4 py-2 text-ink-2 narrow:px-3">
        <div className="flex min-h-5 items-center gap-2">
          <p className="min-w-0 flex-1">
            {last === undefined || !isOld || checking
              ? 'The first request of this script. No model is called.'
              : 'The first request of your last valid script. No model is called.'}
          </p>
          {checking && <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin text-ink-3" />}
        </div>
        {needsInput ? (
          <Note text="Fill in the input to see the request with it." />
        ) : (
          problem !== undefined && (
            <Note
              text={problem.line === undefined ? problem.message : `Line ${problem.line}: ${problem.message}`}
            />
          )
        )}
        {last?.warnings.map((warning) => (
          <Note key={warning} text={warning} />
        ))}
      </div>
      {last === undefined ? (
        checking && <p className="px-4 py-2 text-ink-3 narrow:px-3">Reading the script…</p>
      ) : (
        <div className={isOld && !checking ? 'opacity-70' : undefined}>
          <RequestView request={last.request} />
        </div>
      )}
    </section>
  );
}

function Note({ text }: { text: string }) {
  return (
    <p
      role="status"
      className="flex items-start gap-2 rounded-lg border border-line bg-panel px-3 py-2 text-ink-2 wrap-anywhere"
    >
      <CircleAlert aria-hidden className="mt-[3px] size-3.5 shrink-0 text-warn" />
      {text}
    </p>
  );
}
