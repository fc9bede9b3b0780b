import { PromptProvider } from '@cueline/react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DayPlanner } from './examples/day-planner.tsx';

test('a server renders the run that has not started', () => {
  const html = renderToString(
    <PromptProvider model="simulated:demo">
      <DayPlanner />
    </PromptProvider>,
  );
  expect(html).toBe('<button>Plan my day</button>');
});
