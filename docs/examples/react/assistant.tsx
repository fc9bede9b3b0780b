import { definePrompt } from '@cueline/core';
import { PromptProvider, usePrompt } from '@cueline/react';
import type { ReactElement } from 'react';
import * as z from 'zod';

const planDay = definePrompt(
  'plan-day',
  (prompt, input) => {
    prompt.defTool(
      'getWeather',
      'Weather for a city',
      z.object({ city: z.string() }),
      ({ city }) => `${city}: sunny`,
    );
    prompt.$`Plan a day in ${input.city}.`;
  },
  { input: z.object({ city: z.string() }) },
);

function Planner(): ReactElement {
  const plan = usePrompt(planDay, { id: 'today' });
  const running = plan.status === 'running';
  return (
    <section>
      <button onClick={() => (running ? plan.stop() : void plan.start({ city: 'Lisbon' }))}>
        {running ? 'Stop' : 'Plan my day'}
      </button>
      {plan.toolCalls.map((call) => (
        <p key={call.toolCallId}>
          {call.toolName}: {call.state}
        </p>
      ))}
      <p>{plan.text}</p>
      {plan.status === 'error' && <p role="alert">{plan.error.message}</p>}
    </section>
  );
}

export function App(): ReactElement {
  return (
    <PromptProvider model="simulated:demo">
      <Planner />
    </PromptProvider>
  );
}
