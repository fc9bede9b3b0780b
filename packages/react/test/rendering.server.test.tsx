import type { RunEvent } from '@cueline/core';
import { createRunRegistry, PromptProvider, usePrompt } from '@cueline/react';
import type { ReactElement } from 'react';
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

test('two requests of a server that share a registry do not show the log of each other', () => {
  const registry = createRunRegistry();
  const logOf = (name: string): RunEvent[] => [
    { seq: 0, t: 0, type: 'run-start', v: 2, runId: name, model: 'm:x', messages: [], messageId: 'a' },
    { seq: 1, t: 0, type: 'text-start', id: '0' },
    { seq: 2, t: 0, type: 'text-delta', id: '0', text: `Hello ${name}.` },
  ];
  function Page({ log }: { log: readonly RunEvent[] }): ReactElement {
    const { text } = usePrompt(() => {}, { id: 'today', initialLog: log });
    return <p>{text}</p>;
  }
  const [ada, ben] = ['Ada', 'Ben'].map((name) =>
    renderToString(
      <PromptProvider model="simulated:demo" registry={registry}>
        <Page log={logOf(name)} />
      </PromptProvider>,
    ),
  );
  expect([ada, ben]).toEqual(['<p>Hello Ada.</p>', '<p>Hello Ben.</p>']);
});
