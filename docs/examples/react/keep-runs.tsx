import { definePrompt } from '@cueline/core';
import { PromptProvider, usePrompt } from '@cueline/react';
import { indexedDbStorage } from '@cueline/react/indexeddb';
import { useState, type ReactElement } from 'react';
import * as z from 'zod';

// #region persist
const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.$`Plan a day in ${city}.`;
  },
  { input: z.object({ city: z.string() }) },
);

const storage = indexedDbStorage(); // once, outside of components

export function App(): ReactElement {
  return (
    <PromptProvider model="simulated:demo" persist={storage}>
      <Planner />
    </PromptProvider>
  );
}

function Planner(): ReactElement {
  const plan = usePrompt(planDay, { id: 'planner' }); // the id is what it is found by
  const interrupted = plan.status === 'error' && plan.error.code === 'interrupted';
  return (
    <section>
      <button onClick={() => void plan.start({ city: 'Lisbon' })}>Plan my day</button>
      <p>{plan.text}</p>
      {interrupted && <button onClick={() => void plan.retry()}>Go on</button>}
      {plan.storageError && <p role="status">{plan.storageError.message}</p>}
    </section>
  );
}
// #endregion

// #region forget
export function ForgetButton(): ReactElement {
  const [kept, setKept] = useState<number>();
  async function forget(): Promise<void> {
    for (const run of await storage.list()) {
      if (run.name === 'plan-day') await storage.remove(run.id); // or storage.clear(), for all of them
    }
    setKept((await storage.list()).length);
  }
  return (
    <button onClick={() => void forget()}>Forget my plans {kept !== undefined && `(${kept} left)`}</button>
  );
}
// #endregion
