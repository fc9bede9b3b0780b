import { initialState, type StepState } from '@cueline/core';
import { expect, test } from 'vitest';
import { costsOfLines } from '../../src/editor/line-costs.ts';
import type { ShownRun } from '../../src/state/shown-run.ts';

function shownWith(request: StepState['request']): ShownRun {
  const state: ShownRun['state'] = { ...initialState, steps: [{ step: 0, request, startedAt: 0 }] };
  return { state, turn: 0, earlier: [], isPast: false };
}

test('a request of an imported log whose messages cannot be counted has no costs', () => {
  const request = {
    model: 'm:m',
    instructions: '',
    messages: [{ role: 'user', content: [{ type: 'text' }] }],
    tools: [],
    settings: {},
  } as unknown as StepState['request'];
  expect(
    costsOfLines([{ of: 'message', name: 'message 0', line: 1, lastLine: 1 }], shownWith(request)),
  ).toEqual(new Map());
});

test('two definitions of one name on a line count both, and a repeated one counts once', () => {
  const request: StepState['request'] = {
    model: 'm:m',
    instructions: 'Mind the rain.',
    instructionParts: [{ kind: 'system', name: 'weather', start: 0, end: 14 }],
    messages: [],
    tools: [{ name: 'weather', description: 'The weather', inputSchema: {} }],
    settings: {},
  };
  const place = { name: 'weather', line: 1, lastLine: 1 };
  const system = { ...place, of: 'system' as const };
  const costs = costsOfLines([system, { ...place, of: 'tool' }, system], shownWith(request));
  expect(costs.get(1)).toEqual({
    label: '9 tok',
    title: [
      'weather: 4 tokens of the request (estimated)',
      'weather: 5 tokens of the request (estimated)',
    ].join('\n'),
  });
});
