import { useRun, type AnyRun } from '@cueline/react';

/** The feedback that the model got about answers that did not fit the schema. */
export function AnswerFeedback({ run }: { run: AnyRun }) {
  const steps = useRun(run, (state) => state.steps);
  const told = steps.flatMap(({ steered = [] }) => steered.filter(({ cause }) => cause === 'output'));
  if (told.length === 0) return null;
  return (
    <section aria-labelledby="faults" className="mt-6 rounded-lg border border-line bg-panel p-3 text-sm">
      <h3 id="faults" className="font-semibold">
        The model was asked to answer again
      </h3>
      <ol className="mt-1 grid list-decimal gap-1 pl-5 text-ink-2">
        {told.map(({ id, text }) => (
          <li key={id}>{text.split('\n')[0]}</li>
        ))}
      </ol>
    </section>
  );
}
