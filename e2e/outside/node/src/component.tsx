import { definePrompt } from '@cueline/core';
import { usePrompt, useTaskList, type UsePromptOptions } from '@cueline/react';
import type { ReactElement } from 'react';

const plan = definePrompt('plan', (prompt, input: { city: string }) => {
  prompt.$`Plan a day in ${input.city}.`;
});

type Props = { id?: string; options?: UsePromptOptions };

// what a component passes on may be undefined, whether or not exactOptionalPropertyTypes is on
export function Plan({ id, options }: Props): ReactElement {
  const run = usePrompt(plan, { ...options, id });
  const { tasks } = useTaskList(run.run);
  const start = (): void => void run.start({ city: 'Lisbon' });
  return (
    <button onClick={start}>
      {run.status === 'done' ? run.result : run.text} {tasks.length}
    </button>
  );
}
