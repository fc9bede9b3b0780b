import { createRun, definePrompt, type RunEventBody } from '@cueline/core';
import { expect, test } from 'vitest';
import { linkedStepOf, makeStepLink, readStepLink } from '../../src/share/step-link.ts';
import type { RunSession } from '../../src/state/store.ts';
import { begun, called, ended, logOf, start, step } from '../transcript/run-events.ts';

const runOf = (bodies: readonly RunEventBody[]) =>
  createRun(
    definePrompt('shown', () => {}),
    { log: logOf(bodies) },
  );

const inAgent = [
  ...called('c', 'ask'),
  { type: 'tool-start', toolCallId: 'c', toolName: 'ask' } as const,
  ...begun('c', 'ask'),
  ...step(0, [], 'c'),
  ...ended('c'),
];
const first = runOf([start, ...step(0, [])]);
const run = runOf([start, ...step(0, []), ...step(1, inAgent)]);
const alone = { run, earlier: [] } as unknown as RunSession;
const replied = { run, earlier: [{ log: first.log(), state: first.getState() }] } as unknown as RunSession;

test('a link to a step is the link to its run with the number of the step before the hash', () => {
  expect(makeStepLink('https://play.example/app/#v1.r.abc.1', 2)).toBe(
    'https://play.example/app/?step=3#v1.r.abc.1',
  );
});

test.each<[string, RunSession, object | undefined]>([
  ['?step=2', alone, { kind: 'step', turn: 0, step: 1 }],
  ['?a=1&step=1', replied, { kind: 'step', turn: 1, step: 0 }],
  ['?step=1&turn=1', replied, { kind: 'step', turn: 0, step: 0 }],
  ['?step=2&turn=1', replied, undefined],
  ['?step=1&turn=3', replied, undefined],
  ['?step=3', alone, undefined],
  ['?step=0', alone, undefined],
  ['?step=-1', alone, undefined],
  ['?step=1e0', alone, undefined],
  ['?step=99999999999999999999', alone, undefined],
  ['?turn=1', alone, undefined],
  ['', alone, undefined],
])('%s names a step of the run, or none', (search, session, expected) => {
  expect(readStepLink(search, session)).toEqual(expected);
});

test('a selection in an agent links to a step of the run, and an earlier turn has no link', () => {
  expect(linkedStepOf({ kind: 'step', turn: 0, agent: 'c', step: 0 }, alone)).toBe(1);
  expect(linkedStepOf({ kind: 'call', turn: 1, step: 1, toolCallId: 'c' }, replied)).toBe(1);
  expect(linkedStepOf({ kind: 'step', turn: 0, step: 0 }, replied)).toBeUndefined();
  expect(linkedStepOf({ kind: 'definition', of: 'tool', name: 'ask' }, alone)).toBeUndefined();
  expect(linkedStepOf(undefined, alone)).toBeUndefined();
});
