import { definePrompt, type Run } from '@cueline/core';
import { usePrompt, useRun } from '@cueline/react';
import { useState, type ReactElement } from 'react';
import * as z from 'zod';

const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.$`Plan a day in ${city}.`;
  },
  { input: z.object({ city: z.string() }) },
);

// #region retry
export function RetriedPlan(): ReactElement {
  const plan = usePrompt(planDay, { id: 'planner' });
  return (
    <section>
      <button onClick={() => void plan.start({ city: 'Lisbon' })}>Plan my day</button>
      <p>{plan.text}</p>
      {plan.status === 'error' && (
        <p role="alert">
          {plan.error.message} <button onClick={() => void plan.retry()}>Go on</button>
        </p>
      )}
      {plan.status === 'done' && <button onClick={() => void plan.retry()}>Another answer</button>}
    </section>
  );
}
// #endregion

// #region past
export function Past({ run }: { run: Run<never> }): ReactElement {
  const last = useRun(run, (state) => state.seq);
  const [seq, setSeq] = useState<number>();
  const state = run.at(seq ?? last);
  return (
    <section>
      <input
        type="range"
        aria-label="Moment"
        min={-1}
        max={last}
        value={seq ?? last}
        onChange={(event) => setSeq(event.target.valueAsNumber)}
      />
      <p>{`${state.status}: ${state.text}`}</p>
    </section>
  );
}
// #endregion

// #region fork
export function Variants(): ReactElement {
  const { run, start, status } = usePrompt(planDay, { watch: ['status'] });
  const [variants, setVariants] = useState<Run<{ city: string }>[]>([]);
  const [idea, setIdea] = useState('Make it cheaper.');
  function branch(): void {
    const variant = run.fork(); // or fork(seq), from any moment
    setVariants([...variants, variant]);
    void variant.send(idea);
  }
  return (
    <section>
      <button onClick={() => void start({ city: 'Lisbon' })}>Plan my day</button>
      <input aria-label="Idea" value={idea} onChange={(event) => setIdea(event.target.value)} />
      <button disabled={status !== 'done'} onClick={branch}>
        Try it beside
      </button>
      {variants.map((variant) => (
        <Answer key={variant.id} run={variant} />
      ))}
    </section>
  );
}

function Answer({ run }: { run: Run<never> }): ReactElement {
  return <p>{useRun(run, (state) => state.text)}</p>;
}
// #endregion
