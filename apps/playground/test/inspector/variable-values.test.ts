// @vitest-environment happy-dom
import { createRun, definePrompt, type RunEvent, type RunEventBody } from '@cueline/core';
import { Tooltip } from 'radix-ui';
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import { VariableValues } from '../../src/inspector/definition/variable-values.tsx';
import { shownAt } from '../../src/state/shown-run.ts';
import type { RunSession } from '../../src/state/store.ts';
import { begun, called, start, step } from '../transcript/run-events.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const set = (value: string): RunEventBody => ({
  ...({ agent: 'c1' } as object),
  ...({ type: 'variable-set', name: 'CITY', kind: 'text', value } as const),
});
const bodies: RunEventBody[] = [
  start,
  { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
  ...called('c1', 'outer'),
  { type: 'tool-start', toolCallId: 'c1', toolName: 'outer' },
  ...begun('c1', 'outer'),
  set('Lisbon'),
  ...step(0, [], 'c1'),
  set('Bergen'),
  ...step(1, [], 'c1'),
];
const log = bodies.map((body, seq): RunEvent => ({ seq, t: seq, ...body }));
const run = createRun(
  definePrompt('desk', () => {}),
  { log },
);
const session = { id: 'one', run, source: { script: '' }, earlier: [] } as unknown as RunSession;

test('the values of an agent’s variable are those at the moment that is shown', () => {
  const page = document.body.appendChild(document.createElement('div'));
  const root = createRoot(page);
  const valuesAfter = (value: string): string => {
    const seq = log.findIndex((event) => event.type === 'variable-set' && event.value === value);
    const shown = shownAt(session, run.getState(), { turn: 0, seq });
    const values = createElement(VariableValues, { session, shown, name: 'CITY', agent: 'outer' });
    act(() => root.render(createElement(Tooltip.Provider, null, values)));
    return page.textContent ?? '';
  };
  expect(valuesAfter('Lisbon')).not.toContain('Bergen');
  expect(valuesAfter('Bergen')).toContain('Bergen');
  expect(valuesAfter('Lisbon')).not.toContain('Bergen');
  act(() => root.unmount());
});
