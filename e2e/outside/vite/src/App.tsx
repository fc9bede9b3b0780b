import { PromptProvider, usePrompt } from '@cueline/react';
import { indexedDbStorage } from '@cueline/react/indexeddb';
import { useState } from 'react';
import { planDay } from './plan-day.ts';

function Planner() {
  const [model, setModel] = useState('simulated:demo');
  const plan = usePrompt(planDay, { id: 'today', model });
  return (
    <section>
      <button onClick={() => void plan.start({ city: 'Lisbon' })}>Plan my day</button>
      <button onClick={() => setModel('anthropic:claude-sonnet-4-5')}>
        Use a model whose package is missing
      </button>
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

const storage = indexedDbStorage();
const models = { env: { ANTHROPIC_API_KEY: 'no-key' } };

export default function App() {
  return (
    <PromptProvider persist={storage} models={models}>
      <Planner />
    </PromptProvider>
  );
}
