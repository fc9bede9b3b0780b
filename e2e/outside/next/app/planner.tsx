'use client';

import { remotePrompt, viaRoute } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import type { planDay } from '../prompts/plan-day';

const executor = viaRoute('/api/plan-day');
const remotePlan = remotePrompt<typeof planDay>('plan-day');

export function Planner() {
  const plan = usePrompt(remotePlan, { id: 'today', executor });
  return (
    <section>
      <button onClick={() => void plan.start({ city: 'Lisbon' })}>Plan my day</button>
      {plan.toolCalls.map((call) => (
        <p key={call.toolCallId}>
          {call.toolName}: {call.state}
        </p>
      ))}
      <p>{plan.text}</p>
      <p role="status">{plan.status}</p>
      {plan.status === 'error' && <p role="alert">{plan.error.message}</p>}
    </section>
  );
}
