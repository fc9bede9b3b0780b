// @vitest-environment happy-dom
import { createRun, definePrompt, type RunEventBody } from '@cueline/core';
import { Tooltip } from 'radix-ui';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { VariableValues } from '../../src/inspector/definition/variable-values.tsx';
import { shownAt } from '../../src/state/shown-run.ts';
import type { RunSession } from '../../src/state/store.ts';
import { openRoot } from '../drawn.ts';
import { begun, called, logOf, start, step } from '../transcript/run-events.ts';

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
const log = logOf(bodies);
const run = createRun(
  definePrompt('desk', () => {}),
  { log },
);
const { page, draw } = openRoot();
const session = { id: 'one', run, source: { script: '' }, earlier: [] } as unknown as RunSession;

test('the values of an agent’s variable are those at the moment that is shown', () => {
  const valuesAfter = (value: string): string => {
    const seq = log.findIndex((event) => event.type === 'variable-set' && event.value === value);
    const shown = shownAt(session, run.getState(), { turn: 0, seq });
    const values = createElement(VariableValues, { session, shown, name: 'CITY', agent: 'outer' });
    draw(createElement(Tooltip.Provider, null, values));
    return page.textContent ?? '';
  };
  expect(valuesAfter('Lisbon')).not.toContain('Bergen');
  expect(valuesAfter('Bergen')).toContain('Bergen');
  expect(valuesAfter('Lisbon')).not.toContain('Bergen');
});
