import { initialState, type StepState } from '@cueline/core';
import { expect, test } from 'vitest';
import { costsOfLines } from '../../src/editor/line-costs.ts';
import type { ShownRun } from '../../src/state/shown-run.ts';

test('a request of an imported log whose messages cannot be counted has no costs', () => {
  const request = {
    model: 'm:m',
    instructions: '',
    messages: [{ role: 'user', content: [{ type: 'text' }] }],
    tools: [],
    settings: {},
  } as unknown as StepState['request'];
  const state: ShownRun['state'] = { ...initialState, steps: [{ step: 0, request, startedAt: 0 }] };
  const shown: ShownRun = { state, turn: 0, earlier: [], isPast: false };
  expect(costsOfLines([{ of: 'message', name: 'message 0', line: 1, lastLine: 1 }], shown)).toEqual(
    new Map(),
  );
});
