import type { RequestTool, RunEventBody } from '@cueline/core';
import { expect, test } from 'vitest';
import { refusedOf } from '../../src/approval/refused-arguments.ts';
import { inputSchemaOf } from '../../src/approval/tool-schema.ts';
import { begun, called, start, stateOf } from '../transcript/run-events.ts';

const send = (title: string): RequestTool => ({ name: 'send', inputSchema: { type: 'object', title } });

/** A step that waits for an answer to its call of `send`. */
function asking(step: number, toolCallId: string, tools: RequestTool[], agent?: string): RunEventBody[] {
  const bodies: RunEventBody[] = [
    { type: 'step-start', step, request: { keep: 0, messages: [], tools } },
    ...called(toolCallId, 'send'),
    { type: 'approval-request', approvalId: `for ${toolCallId}`, toolCallId, toolName: 'send', input: {} },
  ];
  return agent === undefined ? bodies : bodies.map((body) => ({ ...body, agent }));
}

const schemas = (bodies: readonly RunEventBody[]): unknown[] => {
  const state = stateOf(bodies);
  return state.approvals.map((approval) => inputSchemaOf(state, approval));
};

test('the schema is that of the step that made the call', () => {
  const asked = [...asking(0, 'c1', [send('first')]), ...asking(1, 'c2', [send('second')])];
  expect(schemas([start, ...asked])).toMatchObject([{ title: 'first' }, { title: 'second' }]);
});

test('the schema of an agent’s call is that of the agent’s own request', () => {
  const steps = [...asking(0, 'c1', [send('of the run')]), ...begun('c1', 'send')];
  expect(schemas([start, ...steps, ...asking(0, 'c1', [send('of the agent')], 'c1')])).toMatchObject([
    { title: 'of the run' },
    { title: 'of the agent' },
  ]);
});

test('a tool that is not in the request has no schema', () => {
  expect(schemas([start, ...asking(0, 'c1', [])])).toEqual([undefined]);
});

test('arguments that were refused are those of the same call, also if a later call has its id', () => {
  const answered: RunEventBody = {
    type: 'approval-response',
    approvalId: 'for c1',
    response: { approved: true, input: { to: 'Eve' } },
  };
  const again: RunEventBody = {
    type: 'approval-request',
    approvalId: 'again',
    toolCallId: 'c1',
    toolName: 'send',
    input: {},
    reason: 'No such name.',
  };
  const refused = (bodies: readonly RunEventBody[]): unknown => {
    const state = stateOf(bodies);
    return refusedOf(state, state.approvals.at(-1)!);
  };
  const first = [start, ...asking(0, 'c1', [send('first')]), answered];
  expect(refused([...first, again])).toEqual({ input: { to: 'Eve' }, reason: 'No such name.' });
  const next: RunEventBody[] = [
    { type: 'step-start', step: 1, request: { keep: 0, messages: [], tools: [] } },
    ...called('c1', 'send'),
  ];
  expect(refused([...first, ...next, again])).toBeUndefined();
});
