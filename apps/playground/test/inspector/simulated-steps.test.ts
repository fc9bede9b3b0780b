import type { RunEventBody } from '@cueline/core';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { InspectorPane } from '../../src/inspector/inspector-pane.tsx';
import { openLinkedRun } from '../../src/state/run-session.ts';
import { htmlOf } from '../drawn.ts';
import { sessionOf } from '../sessions.ts';
import { logOf, start, usage } from '../transcript/run-events.ts';

/** The inspector of a run whose step had one model, and which continues with another. */
function inspectorOf(model: string, next: { model: string; simulated?: true }): string {
  const bodies: RunEventBody[] = [
    { ...start, model, ...(model.startsWith('simulated:') ? { simulated: true } : {}) },
    { type: 'step-start', step: 0, request: { keep: 0, messages: [], model } },
    { type: 'step-end', step: 0, finishReason: 'stop', usage },
    { type: 'run-resume', runId: 'again', ...next },
    { type: 'run-end', outcome: 'stopped' },
  ];
  const session = sessionOf(openLinkedRun(logOf(bodies)), { shared: true, simulated: false });
  return htmlOf(createElement(InspectorPane, { session }));
}

test('a step of a paid model has its model and its price, also if the run continues with the demo model', () => {
  const page = inspectorOf('openai.responses:gpt-5', { model: 'simulated:demo', simulated: true });
  expect(page).toContain('openai.responses:gpt-5');
  expect(page).not.toContain('Demo model');
  expect(page).not.toContain('Simulated, free');
});

test('a step of the demo model is free, also if the run continues with a paid model', () => {
  const page = inspectorOf('simulated:demo', { model: 'openai.responses:gpt-5' });
  expect(page).toContain('Demo model');
  expect(page).toContain('Simulated, free');
});
