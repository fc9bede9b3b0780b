import { definePrompt } from '@cueline/core';
import { usePrompt, type PromptRun, type UsePromptOptions } from '@cueline/react';
import { useEffect, type ReactElement } from 'react';

export const greet = definePrompt('greet', (prompt, input: { name: string }) => {
  prompt.$`Greet ${input.name}.`;
});

export type Greeted = PromptRun<{ name: string }>;

export type GreetingProps = UsePromptOptions & {
  name?: string;
  startKey?: string;
  seen?: (run: Greeted) => void;
};

export function Greeting({ name = 'Ada', startKey, seen, ...options }: GreetingProps): ReactElement {
  const run = usePrompt(greet, options);
  seen?.(run);
  const { start } = run;
  useEffect(() => {
    if (startKey !== undefined) void start({ name }, { key: startKey });
  }, [start, name, startKey]);
  return (
    <>
      <p data-testid="status">{run.status}</p>
      <p data-testid="text">{run.text}</p>
      {run.status === 'error' && <p data-testid="error">{run.error.message}</p>}
    </>
  );
}
