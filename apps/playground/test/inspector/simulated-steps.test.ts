import type { RunEvent, RunEventBody } from '@cueline/core';
import { Tooltip } from 'radix-ui';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { InspectorPane } from '../../src/inspector/inspector-pane.tsx';
import { openLinkedRun } from '../../src/state/run-session.ts';
import type { RunSession } from '../../src/state/store.ts';
import { start, usage } from '../transcript/run-events.ts';

/** The inspector of a run whose step had one model, and which continues with another. */
function inspectorOf(model: string, next: { model: string; simulated?: true }): string {
  const bodies: RunEventBody[] = [
    { ...start, model, ...(model.startsWith('simulated:') ? { simulated: true } : {}) },
    { type: 'step-start', step: 0, request: { keep: 0, messages: [], model } },
    { type: 'step-end', step: 0, finishReason: 'stop', usage },
    { type: 'run-resume', runId: 'again', ...next },
    { type: 'run-end', outcome: 'stopped' },
  ];
  const log = bodies.map((body, seq): RunEvent => ({ ...body, seq, t: seq }));
  const session: RunSession = {
    id: 's1',
    run: openLinkedRun(log),
    source: { script: '' },
    shared: true,
    model: { name: '', detail: '' },
    simulated: false,
    clock: { now: () => 0 },
    earlier: [],
  };
  return renderToStaticMarkup(
    createElement(Tooltip.Provider, null, createElement(InspectorPane, { session })),
  );
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
