import { CircleAlert, LoaderCircle } from 'lucide-react';
import { RequestView } from '../request/request-view.tsx';
import { usePreview } from '../state/preview.ts';
import { usePlayground } from '../state/store.ts';

/** What the script in the editor would send to the model first. No model is called. */
export function PreviewPane() {
  const { last, problem, needsInput, checking } = usePreview();
  const script = usePlayground((state) => state.script);
  const isOld = last !== undefined && last.script !== script;
  return (
    <section
      aria-label="Preview of the request"
      className="scroll min-h-0 flex-1 short:min-h-32"
      tabIndex={-1}
    >
      <div className="mx-auto grid max-w-[760px] grid-cols-[minmax(0,1fr)] gap-4 px-5 pt-4 pb-8 narrow:px-4">
        <div className="flex min-h-5 items-start gap-2 text-ink-2">
          <p className="min-w-0 flex-1">
            {last === undefined || !isOld || checking
              ? 'The first request of this script. No model is called.'
              : 'As of your last valid script. No model is called.'}
          </p>
          {checking && (
            <LoaderCircle aria-hidden className="mt-0.5 size-3.5 shrink-0 animate-spin text-ink-3" />
          )}
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
        {last === undefined ? (
          checking && <p className="text-ink-3">Reading the script…</p>
        ) : (
          <>
            {last.warnings.map((warning) => (
              <Note key={warning} text={warning} />
            ))}
            <div className={isOld && !checking ? 'opacity-70' : undefined}>
              <RequestView request={last.request} />
            </div>
          </>
        )}
      </div>
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
