// #region definition
import { definePrompt } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import type { ReactElement } from 'react';
import * as z from 'zod';

const planDay = definePrompt(
  'plan-day',
  (prompt, input) => {
    prompt.defTool(
      'getWeather',
      'Weather of a city',
      z.object({ city: z.string() }),
      ({ city }) => `Sunny in ${city}`,
    );
    prompt.$`Plan a day in ${input.city}.`;
  },
  { input: z.object({ city: z.string() }) },
);

export function DayPlanner(): ReactElement {
  const plan = usePrompt(planDay, { id: 'today' });
  if (plan.status === 'idle') {
    return <button onClick={() => void plan.start({ city: 'Lisbon' })}>Plan my day</button>;
  }
  return (
    <article>
      {plan.toolCalls.map((call) => (
        <p key={call.toolCallId}>{`${call.toolName}: ${call.state}`}</p>
      ))}
      <p>{plan.text}</p>
      {plan.status === 'running' && <button onClick={plan.stop}>Stop</button>}
      {plan.status === 'done' && <button onClick={() => void plan.send('Make it cheaper.')}>Cheaper</button>}
      {plan.status === 'error' && <p role="alert">{plan.error.message}</p>}
    </article>
  );
}
// #endregion
