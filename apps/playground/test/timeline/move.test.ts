import { createRun, definePrompt } from '@cueline/core';
import { beforeEach, expect, test } from 'vitest';
import { useInspection } from '../../src/state/inspection.ts';
import type { RunSession } from '../../src/state/store.ts';
import { selectStep } from '../../src/timeline/navigate.ts';
import { logOf, start, step } from '../transcript/run-events.ts';

const bodies = [start, ...[0, 1, 2, 3].flatMap((number) => step(number, []))];
const run = createRun(
  definePrompt('steps', () => {}),
  { log: logOf(bodies) },
);
const session = { run, earlier: [] } as unknown as RunSession;
const { select, reset } = useInspection.getState();
const selected = () => useInspection.getState().selection;
const definition = { kind: 'definition', of: 'variable', name: 'CITY' } as const;

beforeEach(reset);

test.each([
  ['next', 2],
  ['previous', 0],
] as const)('with a definition selected, the %s step is that of the step before it', (direction, number) => {
  select({ kind: 'step', turn: 0, step: 1 });
  select(definition);
  selectStep(session, direction);
  expect(selected()).toEqual({ kind: 'step', turn: 0, step: number });
});

test('the step of a selected call counts, too', () => {
  select({ kind: 'call', turn: 0, step: 1, toolCallId: 'c' });
  select(definition);
  selectStep(session, 'next');
  expect(selected()).toEqual({ kind: 'step', turn: 0, step: 2 });
});

test('without a step before it, the first or the last step is selected', () => {
  select({ kind: 'step', turn: 0, step: 1 });
  select(undefined);
  select(definition);
  selectStep(session, 'next');
  expect(selected()).toMatchObject({ step: 0 });
  reset();
  select(definition);
  selectStep(session, 'previous');
  expect(selected()).toMatchObject({ step: 3 });
});
