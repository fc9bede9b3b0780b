import { definePrompt, type RunEvent } from '@cueline/core';
import {
  createRunRegistry,
  PromptProvider,
  usePrompt,
  useRun,
  useRunSuspense,
  type AnyRun,
} from '@cueline/react';
import { Suspense, type ReactElement } from 'react';
import * as z from 'zod';

const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.$`Plan a day in ${city}.`;
  },
  { input: z.object({ city: z.string() }) },
);

// #region watch
export function Planner(): ReactElement {
  const { status, start, run } = usePrompt(planDay, { watch: ['status'] }); // renders three times, not once a frame
  return (
    <section aria-busy={status === 'running'}>
      <button onClick={() => void start({ city: 'Lisbon' })}>Plan my day</button>
      <Answer run={run} />
      <Tokens run={run} />
    </section>
  );
}

function Answer({ run }: { run: AnyRun }): ReactElement {
  return <p>{useRun(run, (state) => state.text)}</p>;
}

function Tokens({ run }: { run: AnyRun }): ReactElement {
  return <small>{useRun(run, (state) => state.usage.totalTokens)} tokens</small>;
}
// #endregion

// #region same-run
export function StatusBar(): ReactElement {
  const plan = usePrompt(planDay, { id: 'today', watch: ['status'] });
  return <p role="status">{plan.status}</p>;
}

export function PlanPage(): ReactElement {
  const plan = usePrompt(planDay, { id: 'today' });
  return <button onClick={() => void plan.start({ city: 'Lisbon' })}>{plan.text || 'Plan my day'}</button>;
}
// #endregion

// #region registry
export const registry = createRunRegistry({ maxBackground: 4 });

export function planFromMenu(city: string): void {
  void registry.open('today', planDay, { model: 'simulated:demo' }).start({ city });
}

export function Root(): ReactElement {
  return (
    <PromptProvider registry={registry} model="simulated:demo">
      <StatusBar />
      <PlanPage />
    </PromptProvider>
  );
}
// #endregion

// #region server
/** `log` is `run.log()` of the run on the server, as it stood when the page was rendered. */
export function ServedPlan({ log }: { log: readonly RunEvent[] }): ReactElement {
  const plan = usePrompt(planDay, { id: 'today', initialLog: log });
  return <p>{`${plan.status}: ${plan.text}`}</p>;
}
// #endregion

// #region suspense
export function SuspendedPlan(): ReactElement {
  const { run, start } = usePrompt(planDay, { id: 'today', watch: false });
  return (
    <section>
      <button onClick={() => void start({ city: 'Lisbon' })}>Plan my day</button>
      <Suspense fallback={<p>Thinking …</p>}>
        <FirstWords run={run} />
      </Suspense>
    </section>
  );
}

function FirstWords({ run }: { run: AnyRun }): ReactElement {
  return <p>{useRunSuspense(run, 'first-text').text}</p>;
}
// #endregion
