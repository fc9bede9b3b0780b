import { definePrompt, tool } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import type { ReactElement } from 'react';
import * as z from 'zod';

export const planDay = definePrompt('plan-day', (prompt, { city }) => prompt.$`Plan a day in ${city}.`, {
  input: z.object({ city: z.string() }),
  tools: [tool('getWeather', 'Weather for a city', z.object({ city: z.string() }), () => 'sunny')],
});

export function Planner(): ReactElement {
  const { status, text, toolCalls, error, start } = usePrompt(planDay);
  return (
    <section>
      <button disabled={status === 'running'} onClick={() => void start({ city: 'Faro' })}>
        Plan my day
      </button>
      {toolCalls.map((call) => (
        <p key={call.toolCallId}>
          {call.toolName}: {call.state}
        </p>
      ))}
      <p>{text}</p>
      {error && <p role="alert">{error.message}</p>}
    </section>
  );
}
