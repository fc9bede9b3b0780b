import type { RunState } from '@cueline/core';
import { PromptProvider } from '@cueline/react';
import { planDay } from '../prompts/plan-day';
import { Planner } from './planner';

const first: RunState['status'] = 'idle';

// A server component: it may name a prompt and use core's types, and a client component shows the run.
export default function Page() {
  return (
    <main data-status={first}>
      <h1>{planDay.name}</h1>
      <PromptProvider>
        <Planner />
      </PromptProvider>
    </main>
  );
}
