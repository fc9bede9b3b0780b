// in the page
// #region page
import { remotePrompt, viaRoute } from '@cueline/core';
import { PromptProvider, usePrompt } from '@cueline/react';
import type { ReactElement } from 'react';
import type { planDay } from './prompts.ts';

const executor = viaRoute('/api/plan-day');
const remotePlan = remotePrompt<typeof planDay>('plan-day');

export function DayPlanner(): ReactElement {
  const plan = usePrompt(remotePlan, {
    tools: { askGuest: ({ question }) => window.prompt(question) ?? 'The guest did not say.' },
  });
  return (
    <>
      <button onClick={() => void plan.start({ city: 'Lisbon' })}>Plan my day</button>
      <ol>
        {plan.object?.stops?.map((stop, index) => (
          <li key={index}>{stop}</li>
        ))}
      </ol>
      {plan.status === 'error' && <p role="alert">{plan.error.message}</p>}
    </>
  );
}

export function App(): ReactElement {
  return (
    <PromptProvider executor={executor}>
      <DayPlanner />
    </PromptProvider>
  );
}
// #endregion
