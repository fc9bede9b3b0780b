import { initialState, reduce, reduceAll, type RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';

type Make = (i: number, n: number) => object;

const call = (i: number) => ({ toolCallId: `c${i}`, toolName: 't' });
const error = { code: 'provider_error', message: 'm' };
const inCall = { toolCallId: 'c0', toolName: 't' };
const task = (i: number) => ({ id: `task-${i}`, title: 't', origin: 'model' });
const ofTask = (i: number) => ({ taskId: `task-${i}`, by: 'model' });
const agent = (i: number) => ({
  type: 'agent-start',
  agent: `c${i}`,
  toolCallId: `c${i}`,
  name: 'a',
  model: 'm',
  messages: [],
  messageId: `a${i}`,
});
const callEnd = (i: number) => ({ type: 'tool-input-end', ...call(i), input: {} });
const approval = (i: number) => ({ type: 'approval-request', approvalId: `a${i}`, ...call(i) });
const clientCall = (i: number) => ({ type: 'client-tool-request', clientCallId: `r${i}`, ...call(i) });
const set = (i: number) => ({ type: 'variable-set', name: `V${i}`, kind: 'text', value: 'v' });
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** A third are calls, a third are requests about them, and a third are events about those. */
function afterCalls(request: (i: number) => object, then: (i: number) => object): Make {
  return (i, n) => {
    const third = Math.floor(n / 3);
    if (i < third) return callEnd(i);
    return i < 2 * third ? request(i - third) : then(i - 2 * third);
  };
}

/** What is there first, and then the same number of events about it. */
function about(first: (i: number) => object, then: (i: number, half: number) => object): Make {
  return (i, n) => (i < n / 2 ? first(i) : then(i - n / 2, n / 2));
}

/** Logs of each type of event, the event at place `i` of `n`; a new type needs one. */
const types: Record<RunEvent['type'], Make> = {
  'run-start': (i) => ({ type: 'run-start', v: 2, runId: `r${i}`, model: 'm', messages: [], messageId: 'a' }),
  'run-resume': about(
    (i) => ({ type: 'task-add', task: task(i), index: i }),
    (i) =>
      i === 0
        ? { type: 'run-resume', runId: 'r', model: 'm' }
        : { type: 'task-add', task: task(i), index: i },
  ),
  'run-end': about(callEnd, () => ({ type: 'run-end', outcome: 'done' })),
  'variable-set': set,
  'variable-unset': about(set, (i) => ({ type: 'variable-unset', name: `V${i}` })),
  hook: (i) => ({ type: 'hook', step: i, index: 0, changed: ['messages'] }),
  'step-start': (i) => ({ type: 'step-start', step: i, request: { keep: 0, messages: [] } }),
  'model-call-end': () => ({ type: 'model-call-end', finishReason: 'tool-calls', usage }),
  'step-end': (i) => ({ type: 'step-end', step: i, finishReason: 'stop', usage }),
  'text-start': (i) => ({ type: 'text-start', id: `x${i}` }),
  'text-delta': () => ({ type: 'text-delta', id: 'x', text: 'x' }),
  'text-end': about(
    (i) => ({ type: 'text-start', id: `x${i}` }),
    (i) => ({ type: 'text-end', id: `x${i}` }),
  ),
  'reasoning-start': (i) => ({ type: 'reasoning-start', id: `x${i}` }),
  'reasoning-delta': (i) => ({ type: i === 0 ? 'reasoning-start' : 'reasoning-delta', id: 'x', text: 'x' }),
  'reasoning-end': about(
    (i) => ({ type: 'reasoning-start', id: `x${i}` }),
    (i) => ({ type: 'reasoning-end', id: `x${i}` }),
  ),
  'tool-input-start': (i) => ({ type: 'tool-input-start', ...call(i) }),
  'tool-input-delta': about(
    (i) => ({ type: 'tool-input-start', ...call(i) }),
    (i) => ({ type: 'tool-input-delta', toolCallId: `c${i}`, delta: '{"a":1' }),
  ),
  'tool-input-end': callEnd,
  'tool-start': about(callEnd, (i) => ({ type: 'tool-start', ...call(i) })),
  'tool-preliminary': about(callEnd, (i) => ({ type: 'tool-preliminary', ...call(i), output: 1 })),
  'tool-end': about(callEnd, (i) => ({ type: 'tool-end', ...call(i), output: 1 })),
  'tool-error': about(callEnd, (i) => ({ type: 'tool-error', ...call(i), error: 'e' })),
  'approval-automatic': about(callEnd, (i) => ({
    type: 'approval-automatic',
    ...call(i),
    approvalId: `a${i}`,
    approved: true,
  })),
  'sub-call-start': (i) =>
    i === 0 ? callEnd(0) : { type: 'sub-call-start', ...inCall, index: i - 1, name: 'n', input: 1 },
  'sub-call-end': (i, n) =>
    i === 0
      ? callEnd(0)
      : i < n / 2
        ? { type: 'sub-call-start', ...inCall, index: i - 1, name: 'n', input: 1 }
        : { type: 'sub-call-end', ...inCall, index: i - n / 2, output: 1, ms: 1 },
  'agent-start': agent,
  'agent-end': about(agent, (i) => ({ type: 'agent-end', agent: `c${i}`, outcome: 'done' })),
  'task-add': (i) => ({ type: 'task-add', task: task(i), index: i }),
  'task-update': about(
    (i) => ({ type: 'task-add', task: task(i), index: i }),
    (i) => ({ type: 'task-update', ...ofTask(i), status: 'completed' }),
  ),
  'task-move': about(
    (i) => ({ type: 'task-add', task: task(i), index: i }),
    (i, half) => ({ type: 'task-move', ...ofTask(half - 1 - (i % 2)), index: half - 1 }),
  ),
  'task-remove': about(
    (i) => ({ type: 'task-add', task: task(i), index: i }),
    (i, half) => ({ type: 'task-remove', ...ofTask(half - 1 - i) }),
  ),
  'approval-request': approval,
  'approval-response': afterCalls(approval, (i) => ({
    type: 'approval-response',
    approvalId: `a${i}`,
    response: { approved: true },
  })),
  'approval-withdraw': afterCalls(approval, (i) => ({ type: 'approval-withdraw', approvalId: `a${i}` })),
  'client-tool-request': clientCall,
  'client-tool-claim': about(clientCall, (i) => ({
    type: 'client-tool-claim',
    clientCallId: `r${i}`,
    page: 'p',
  })),
  'client-tool-response': afterCalls(clientCall, (i) => ({
    type: 'client-tool-response',
    clientCallId: `r${i}`,
    response: { output: 1 },
  })),
  'client-tool-withdraw': afterCalls(clientCall, (i) => ({
    type: 'client-tool-withdraw',
    clientCallId: `r${i}`,
  })),
  steer: (i) => ({ type: 'steer', id: `s${i}`, cause: 'user', text: 'x' }),
  source: (i) => ({ type: 'source', source: { sourceType: 'url', id: `u${i}`, url: 'https://x.test' } }),
  custom: () => ({ type: 'custom', kind: 'a.b' }),
  file: () => ({ type: 'file', mediaType: 'image/png', url: 'data:,' }),
  warning: () => ({ type: 'warning', message: 'w' }),
  retry: () => ({ type: 'retry', error }),
};

/** Orders of events that a search from one end of a list would make slow. */
const orders: Record<string, Make> = {
  'retries of a step with a call, after a step of many': (i, n) =>
    i < n / 2
      ? callEnd(i)
      : [
          { type: 'step-start', step: 1, request: { keep: 0, messages: [] } },
          callEnd(i),
          { type: 'tool-start', ...call(i % 8 < 4 ? i : 0) },
          { type: 'retry', error },
        ][i % 4]!,
  'calls of one id, each in a step of its own': (i) =>
    [
      { type: 'step-start', step: i, request: { keep: 0, messages: [] } },
      { type: 'tool-input-start', ...call(0) },
      { type: 'tool-input-delta', toolCallId: 'c0', delta: '{' },
      callEnd(0),
      { type: 'tool-end', ...call(0), output: 1 },
    ][i % 5]!,
  'what one agent does': (i) => ({ ...(i === 0 ? agent(0) : callEnd(i)), agent: 'c0' }),
  'responses to approvals that do not exist': about(callEnd, (i) => ({
    type: 'approval-response',
    approvalId: `r${i}`,
    response: { approved: true },
  })),
  'tasks from the first to the last removed': about(
    (i) => ({ type: 'task-add', task: task(i), index: i }),
    (i) => ({ type: 'task-remove', ...ofTask(i) }),
  ),
};

function logOf(kind: Make, count: number): RunEvent[] {
  const start = [
    { type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' },
    { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
    { type: 'text-start', id: 'x' },
  ];
  const events = Array.from({ length: count }, (_, i) => kind(i, count));
  return [...start, ...events].map((event, seq) => ({ ...event, seq, t: seq })) as unknown as RunEvent[];
}

const TRIES = 5;

/** Milliseconds that this takes. */
function timeOf(run: () => void): number {
  const begin = performance.now();
  run();
  return performance.now() - begin;
}

test.each([...Object.entries(types), ...Object.entries(orders)])(
  'an event takes as long after 20,000 %s as after 500',
  // a busy machine may make one measurement worthless
  { retry: 3 },
  (_name, kind) => {
    const few = logOf(kind, 500);
    const many = logOf(kind, 20_000);
    // The shortest of some tries: what else the machine does only ever adds to it. A clear answer needs no more of
    // them.
    let short = Infinity;
    let long = Infinity;
    for (let at = 1; at <= TRIES && !(at > 2 && long / short < 2); at += 1) {
      // as many events in both, so that what is compared is not how well the engine has warmed up
      const fewEachTime = timeOf(() => {
        for (let count = 0; count < 40; count += 1) reduceAll(few);
      });
      short = Math.min(short, fewEachTime);
      long = Math.min(
        long,
        timeOf(() => reduceAll(many)),
      );
    }
    // if each event copied all entries, the ratio would be 40; the first use of memory alone has made it 12
    expect(long / short, `${long.toFixed(1)} ms against ${short.toFixed(1)} ms`).toBeLessThan(20);
  },
);

const setTo = (name: string, value: string, seq: number): RunEvent => ({
  seq,
  t: seq,
  type: 'variable-set',
  name,
  kind: 'text',
  value,
});

test('a state keeps its variables when later events set and unset them', () => {
  const before = reduce(reduce(initialState, logOf(types.warning, 0)[0]!), setTo('A', 'first', 1));
  Object.freeze(before.variables);
  const after = reduce(before, setTo('B', 'second', 2));
  const unset = reduce(after, { seq: 3, t: 3, type: 'variable-unset', name: 'A' });
  expect(Object.keys(before.variables)).toEqual(['A']);
  expect(Object.keys(after.variables)).toEqual(['A', 'B']);
  expect(Object.keys(unset.variables)).toEqual(['B']);
  expect(after.variables['A']).toBe(before.variables['A']);
  expect(reduce(unset, { seq: 4, t: 4, type: 'variable-unset', name: 'A' }).variables).toBe(unset.variables);
});
