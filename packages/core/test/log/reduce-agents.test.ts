import { createReducer, reduce, reduceAll } from '@cueline/core';
import { describe, expect, test, vi } from 'vitest';
import { agentStart, inLog, runStart, stepEnd, stepStart, tokens } from './any-events.ts';

const toolCall = {
  type: 'tool-input-end',
  toolCallId: 'call_1',
  toolName: 'helper',
  input: { q: 1 },
} as const;

/** A run whose tool `call_1` is an agent, and whose `call_7` is an agent of that agent. */
const sample = inLog([
  runStart,
  stepStart(),
  toolCall,
  { type: 'tool-start', toolCallId: 'call_1', toolName: 'helper' },
  agentStart('call_1'),
  { type: 'variable-set', agent: 'call_1', name: 'CITY', kind: 'text', value: 'Lisbon' },
  { ...stepStart(), agent: 'call_1' },
  { type: 'text-start', agent: 'call_1', id: 't' },
  { type: 'text-delta', agent: 'call_1', id: 't', text: 'Hm.' },
  { ...toolCall, agent: 'call_1', toolCallId: 'call_7' },
  { type: 'tool-start', agent: 'call_1', toolCallId: 'call_7', toolName: 'helper' },
  agentStart('call_1/call_7'),
  { ...stepStart(), agent: 'call_1/call_7' },
  { type: 'warning', agent: 'call_1/call_7', message: 'slow' },
  { type: 'text-start', agent: 'call_1/call_7', id: 't' },
  { type: 'text-delta', agent: 'call_1/call_7', id: 't', text: 'Deep.' },
  { type: 'text-end', agent: 'call_1/call_7', id: 't' },
  { ...stepEnd(0, 100), agent: 'call_1/call_7' },
  {
    type: 'agent-end',
    agent: 'call_1/call_7',
    outcome: 'done',
    finishReason: 'stop',
    output: { deep: true },
  },
  { type: 'tool-end', agent: 'call_1', toolCallId: 'call_7', output: { deep: true }, ms: 70 },
  { type: 'step-end', agent: 'call_1', step: 0, finishReason: 'tool-calls', usage: tokens(10) },
  { type: 'agent-end', agent: 'call_1', outcome: 'error', error: { code: 'parse_failed', message: 'No.' } },
  { type: 'tool-error', toolCallId: 'call_1', error: 'No.', ms: 180 },
  { type: 'step-end', step: 0, finishReason: 'tool-calls', usage: tokens(1) },
  { type: 'run-end', outcome: 'done', finishReason: 'stop' },
]);

describe('agents', () => {
  test('are nested as they call each other', () => {
    const state = reduceAll(sample);
    expect(state).toMatchObject({ status: 'done', text: '', warnings: [], variables: {}, tasks: [] });
    expect(state.steps).toHaveLength(1);
    expect(state.toolCalls.map(({ toolCallId, state: stand }) => [toolCallId, stand])).toEqual([
      ['call_1', 'output-error'],
    ]);
    expect(state.usage).toEqual({ inputTokens: 111, outputTokens: 3, totalTokens: 114 });
    // the laws say that the rest of an agent's state is that of a run with its events
    expect(state.agents).toMatchObject([
      {
        path: 'call_1',
        toolCallId: 'call_1',
        name: 'helper',
        model: 'm:small',
        input: { path: 'call_1' },
        status: 'error',
        error: { code: 'parse_failed', message: 'No.' },
        toolCalls: [{ toolCallId: 'call_7', output: { deep: true } }],
        variables: { CITY: { kind: 'text', value: 'Lisbon' } },
        usage: { inputTokens: 110, outputTokens: 2, totalTokens: 112 },
      },
      {
        path: 'call_1/call_7',
        toolCallId: 'call_7',
        status: 'done',
        output: { deep: true },
        result: { deep: true },
        text: 'Deep.',
        steps: [{ step: 0, startedAt: 120, firstOutputAt: 150, finishedAt: 170, usage: tokens(100) }],
        usage: { inputTokens: 100, outputTokens: 1, totalTokens: 101 },
        warnings: ['slow'],
      },
    ]);
  });

  test('each have their own status while they work', () => {
    const stands = sample.map((_, end) => {
      const state = reduceAll(sample.slice(0, end + 1));
      return [state, ...state.agents]
        .map((work) => (work.status === 'running' ? work.phase : work.status))
        .join(' ');
    });
    expect(stands.filter((stand, place) => stand !== stands[place - 1])).toEqual([
      'requesting',
      'tools',
      'tools requesting',
      'tools text',
      'tools tools',
      'tools tools requesting',
      'tools tools text',
      'tools tools done',
      'tools error done',
      'done error done',
    ]);
  });

  test('are stopped, with their calls, when the run ends', () => {
    const cut = sample.findIndex(({ agent, type }) => agent === 'call_1/call_7' && type === 'text-end');
    const live = reduceAll(sample.slice(0, cut));
    const ended = reduce(live, { seq: cut, t: 999, type: 'run-end', outcome: 'error' });
    expect(ended.agents.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    expect(ended.toolCalls[0]).toMatchObject({ state: 'interrupted', finishedAt: 999 });
    expect(ended.agents[0]!.toolCalls[0]).toMatchObject({ state: 'interrupted', finishedAt: 999 });

    const waiting = reduce(live, { seq: cut, t: 999, type: 'run-end', outcome: 'waiting' });
    expect(waiting.agents).toBe(live.agents);
  });

  test('stay unchanged when the run ends if they have ended', () => {
    const before = reduceAll(sample.slice(0, -1));
    const after = reduce(before, sample.at(-1)!);
    expect(after.agents).toBe(before.agents);
  });

  test('are removed when the run starts again', () => {
    const state = reduceAll([
      ...sample.slice(0, 12),
      ...inLog([runStart, { type: 'warning', agent: 'call_1', message: 'late' }, stepStart()]),
    ]);
    expect(state.agents).toEqual([]);
    expect(state).toStrictEqual(
      reduceAll(inLog([runStart, { type: 'warning', agent: 'call_1', message: 'late' }, stepStart()])),
    );
  });

  test('have their events ignored if they never began', () => {
    const said = sample.filter(({ type }) => type !== 'agent-start');
    const state = reduceAll(said);
    expect(state.agents).toEqual([]);
    expect(state.usage).toEqual({ inputTokens: 1, outputTokens: 1, totalTokens: 2 });
    expect(state.warnings).toEqual([]);
  });

  test('have events after their end or the end of the run ignored', () => {
    const late = inLog([
      runStart,
      agentStart('call_1'),
      { ...toolCall, agent: 'call_1' },
      { type: 'agent-end', agent: 'call_1', outcome: 'stopped' },
      { type: 'tool-end', agent: 'call_1', toolCallId: 'call_1', output: 'late' },
      { ...stepEnd(), agent: 'call_1' },
      { type: 'agent-end', agent: 'call_1', outcome: 'error', output: 'late' },
      { type: 'run-end', outcome: 'stopped' },
      { type: 'warning', message: 'late' },
      { type: 'run-end', outcome: 'done' },
    ]);
    const state = reduceAll(late);
    expect(state).toMatchObject({ status: 'stopped', warnings: [], usage: { totalTokens: 0 } });
    const ended = reduceAll(late.slice(0, 4));
    expect(state.agents).toStrictEqual(ended.agents);
    expect(reduce(ended, late[4]!).agents).toBe(ended.agents);
    expect(reduce(state, { seq: 10, t: 1e3, type: 'warning', message: 'later' })).toBe(state);
    expect(state.agents[0]).toMatchObject({ status: 'stopped', toolCalls: [{ state: 'interrupted' }] });
  });

  test('are ignored without a path', () => {
    const { agent: _, ...start } = agentStart('call_1');
    expect(reduceAll(inLog([runStart, start as never])).agents).toEqual([]);
  });

  test('are new agents if a path begins again, and later events belong to them', () => {
    const again = inLog([
      runStart,
      agentStart('call_1'),
      { type: 'warning', agent: 'call_1', message: 'first' },
      agentStart('call_1'),
      { type: 'warning', agent: 'call_1', message: 'second' },
    ]);
    const { agents } = reduceAll(again);
    expect(agents.map(({ status, warnings }) => [status, warnings])).toEqual([
      ['stopped', ['first']],
      ['running', ['second']],
    ]);
  });

  test('are copied at most once between two snapshots, however deep they are', () => {
    const start = sample.findIndex(({ agent, type }) => agent === 'call_1/call_7' && type === 'text-delta');
    const reducer = createReducer(reduceAll(sample.slice(0, start)));
    const copies = vi.spyOn(Array.prototype, 'slice');
    for (let count = 0; count < 1_000; count++)
      reducer.apply({
        seq: start + count,
        t: 0,
        type: 'text-delta',
        agent: 'call_1/call_7',
        id: 't',
        text: 'x',
      });
    const copied = copies.mock.calls.length;
    copies.mockRestore();
    // the agent's lists of messages, of the message's parts, and of steps
    expect(copied).toBeLessThanOrEqual(3);
    expect(reducer.snapshot().agents[1]!.text).toBe('x'.repeat(1_000));
  });
});

describe('approvals', () => {
  const open = (approvalId: string, agent?: string) =>
    ({
      type: 'approval-request',
      approvalId,
      toolCallId: 'call_1',
      toolName: 'send',
      input: { to: 'all' },
      ...(agent === undefined ? {} : { agent }),
    }) as const;
  const answer = (approvalId: string) =>
    ({ type: 'approval-response', approvalId, response: { approved: true } }) as const;

  test('make a run wait until the last one is answered', () => {
    const log = inLog([
      ...sample.slice(0, 5),
      open('r1'),
      open('r2', 'call_1'),
      { type: 'tool-start', toolCallId: 'other', toolName: 'other' },
      answer('r1'),
      { type: 'approval-response', approvalId: 'r1', response: { approved: false } },
      answer('r3'),
      answer('r2'),
    ]);
    const states = log.map((_, end) => reduceAll(log.slice(0, end + 1)));
    expect(states.slice(4).map(({ status }) => status)).toEqual([
      'running',
      ...Array.from({ length: 6 }, () => 'waiting'),
      'running',
    ]);
    expect(states.map(({ agents }) => agents[0]?.status ?? 'none').slice(4)).toEqual(
      Array.from({ length: 8 }, () => 'running'),
    );
    const last = states.at(-1)!;
    expect(last).toMatchObject({ status: 'running', phase: 'tools' });
    const asked = { toolCallId: 'call_1', toolName: 'send', input: { to: 'all' } };
    expect(last.approvals).toStrictEqual([
      { approvalId: 'r1', ...asked, requestedAt: 50, response: { approved: true } },
      { approvalId: 'r2', ...asked, agent: 'call_1', requestedAt: 60, response: { approved: true } },
    ]);
  });

  test('leave a waiting state without a phase, from which it continues', () => {
    const waiting = reduceAll(inLog([runStart, stepStart(), open('r1')]));
    expect(waiting).toMatchObject({ status: 'waiting' });
    expect(waiting).not.toHaveProperty('phase');
    expect(reduce(waiting, { seq: 3, t: 30, ...answer('r1') })).toMatchObject({
      status: 'running',
      phase: 'requesting',
    });
  });

  test('stay unanswered when a run ends', () => {
    for (const outcome of ['done', 'stopped', 'waiting'] as const) {
      const ended = reduceAll(inLog([runStart, open('r1'), { type: 'run-end', outcome }]));
      expect(ended.status).toBe(outcome);
      expect(ended.approvals[0]).not.toHaveProperty('answer');
      expect(reduce(ended, { seq: 3, t: 30, ...answer('r1') }).status).toBe(outcome);
    }
  });

  test('change only the objects that they concern', () => {
    const before = reduceAll(inLog([runStart, open('r1'), open('r2')]));
    const after = reduce(before, { seq: 3, t: 30, ...answer('r2') });
    expect(after.approvals[0]).toBe(before.approvals[0]);
    expect(reduce(after, { seq: 4, t: 40, ...answer('r2') }).approvals).toBe(after.approvals);
    expect(after.toolCalls).toBe(before.toolCalls);
  });
});
