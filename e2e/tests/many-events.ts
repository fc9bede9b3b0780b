import type { RunEvent } from '@cueline/core';

/**
 * Returns this many events of one type, and the events that they need. Its source also runs in a page, as a script that
 * forges events.
 */
export function eventsOf(type: string, count: number): object[] {
  const call = (i: number): object => ({ toolCallId: `c${i}`, toolName: 't' });
  const ended = (i: number): object => ({ type: 'tool-input-end', ...call(i), input: {} });
  const task = (i: number): object => ({
    type: 'task-add',
    task: { id: `task-${i}`, title: 'Look around', origin: 'model' },
    index: i,
  });
  const ofTask = (i: number): object => ({ taskId: `task-${i}`, by: 'model' });
  const agent = (i: number): object => ({
    type: 'agent-start',
    agent: `c${i}`,
    toolCallId: `c${i}`,
    name: 'a',
    model: 'm',
    input: {},
    messages: [],
    messageId: `a${i}`,
  });
  const approval = (i: number): object => ({
    type: 'approval-request',
    approvalId: `r${i}`,
    ...call(i),
    input: {},
  });
  const clientCall = (i: number): object => ({
    type: 'client-tool-request',
    clientCallId: `r${i}`,
    ...call(i),
    input: {},
  });
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const error = { code: 'provider_error', message: 'No.' };
  const request0 = { keep: 0, messages: [] };
  /** One event of each type, and the event that it needs before it. */
  const kinds: Record<
    RunEvent['type'],
    [first: ((i: number) => object) | undefined, one: (i: number) => object]
  > = {
    // a log has one start and one end
    'run-start': [undefined, () => ({ type: 'warning', message: 'w' })],
    'run-resume': [undefined, () => ({ type: 'warning', message: 'w' })],
    'run-end': [undefined, () => ({ type: 'warning', message: 'w' })],
    'variable-set': [undefined, (i) => ({ type: 'variable-set', name: `V${i}`, kind: 'text', value: 'v' })],
    'variable-unset': [
      (i) => ({ type: 'variable-set', name: `V${i}`, kind: 'text', value: 'v' }),
      (i) => ({ type: 'variable-unset', name: `V${i}` }),
    ],
    'step-start': [undefined, (i) => ({ type: 'step-start', step: i + 1, request: request0 })],
    'model-call-end': [undefined, () => ({ type: 'model-call-end', finishReason: 'stop', usage })],
    hook: [undefined, () => ({ type: 'hook', step: 0, index: 0, changed: ['system'] })],
    'step-end': [undefined, (i) => ({ type: 'step-end', step: i, finishReason: 'stop', usage })],
    'text-start': [undefined, (i) => ({ type: 'text-start', id: `t${i}` })],
    'text-delta': [
      (i) => (i === 0 ? { type: 'text-start', id: 'x' } : { type: 'text-delta', id: 'x', text: 'a ' }),
      () => ({ type: 'text-delta', id: 'x', text: 'b ' }),
    ],
    'text-end': [(i) => ({ type: 'text-start', id: `t${i}` }), (i) => ({ type: 'text-end', id: `t${i}` })],
    'reasoning-start': [undefined, (i) => ({ type: 'reasoning-start', id: `t${i}` })],
    'reasoning-delta': [
      (i) =>
        i === 0 ? { type: 'reasoning-start', id: 'x' } : { type: 'reasoning-delta', id: 'x', text: 'a ' },
      () => ({ type: 'reasoning-delta', id: 'x', text: 'b ' }),
    ],
    'reasoning-end': [
      (i) => ({ type: 'reasoning-start', id: `t${i}` }),
      (i) => ({ type: 'reasoning-end', id: `t${i}` }),
    ],
    'tool-input-start': [undefined, (i) => ({ type: 'tool-input-start', ...call(i) })],
    'tool-input-delta': [
      (i) => ({ type: 'tool-input-start', ...call(i) }),
      (i) => ({ type: 'tool-input-delta', toolCallId: `c${i}`, delta: '{"a":1' }),
    ],
    'tool-input-end': [undefined, ended],
    'tool-start': [ended, (i) => ({ type: 'tool-start', ...call(i) })],
    'tool-preliminary': [ended, (i) => ({ type: 'tool-preliminary', ...call(i), output: i })],
    'tool-end': [ended, (i) => ({ type: 'tool-end', ...call(i), output: { i }, ms: 1 })],
    'tool-error': [ended, (i) => ({ type: 'tool-error', ...call(i), error: 'No.' })],
    'approval-automatic': [
      ended,
      (i) => ({ type: 'approval-automatic', ...call(i), approvalId: `a${i}`, approved: true }),
    ],
    'sub-call-start': [
      (i) =>
        i === 0
          ? { type: 'tool-input-end', toolCallId: 'x', toolName: 't', input: {} }
          : { type: 'warning', message: 'w' },
      (i) => ({ type: 'sub-call-start', toolCallId: 'x', index: i, name: 'n', input: {} }),
    ],
    'sub-call-end': [
      (i) =>
        i === 0
          ? { type: 'tool-input-end', toolCallId: 'x', toolName: 't', input: {} }
          : { type: 'sub-call-start', toolCallId: 'x', index: i - 1, name: 'n', input: {} },
      (i) => ({ type: 'sub-call-end', toolCallId: 'x', index: i, output: i, ms: 1 }),
    ],
    'agent-start': [ended, agent],
    'agent-end': [agent, (i) => ({ type: 'agent-end', agent: `c${i}`, outcome: 'done' })],
    'task-add': [undefined, task],
    'task-update': [task, (i) => ({ type: 'task-update', ...ofTask(i), status: 'in_progress' })],
    'task-move': [task, (i) => ({ type: 'task-move', ...ofTask(i), index: 0 })],
    'task-remove': [task, (i) => ({ type: 'task-remove', ...ofTask(i) })],
    'approval-request': [ended, approval],
    'approval-response': [
      approval,
      (i) => ({ type: 'approval-response', approvalId: `r${i}`, response: { approved: true } }),
    ],
    'approval-withdraw': [approval, (i) => ({ type: 'approval-withdraw', approvalId: `r${i}` })],
    'client-tool-request': [ended, clientCall],
    'client-tool-claim': [
      clientCall,
      (i) => ({ type: 'client-tool-claim', clientCallId: `r${i}`, page: 'p' }),
    ],
    'client-tool-response': [
      clientCall,
      (i) => ({ type: 'client-tool-response', clientCallId: `r${i}`, response: { output: 1 } }),
    ],
    'client-tool-withdraw': [clientCall, (i) => ({ type: 'client-tool-withdraw', clientCallId: `r${i}` })],
    steer: [undefined, (i) => ({ type: 'steer', id: `s${i}`, cause: 'user', text: 'Go on.' })],
    source: [
      undefined,
      (i) => ({ type: 'source', source: { sourceType: 'url', id: `u${i}`, url: 'https://x.test' } }),
    ],
    custom: [undefined, () => ({ type: 'custom', kind: 'a.b' })],
    file: [undefined, () => ({ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,' })],
    warning: [undefined, () => ({ type: 'warning', message: 'w' })],
    retry: [undefined, () => ({ type: 'retry', error })],
  };
  const [first, one] = kinds[type as RunEvent['type']];
  const made: object[] = [];
  if (first !== undefined) for (let i = 0; i < count; i += 1) made.push(first(i));
  for (let i = 0; i < count; i += 1) made.push(one(i));
  return [
    { type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' },
    { type: 'step-start', step: 0, request: { ...request0, model: 'm' } },
    ...made,
    { type: 'run-end', outcome: 'done' },
  ].map((event, seq) => ({ ...event, seq, t: 0 }));
}

const entries = 1_000;
/**
 * How many events of each type a run may have, as far as they fit into one message. An event that needs another one
 * counts as both.
 */
export const most: Record<RunEvent['type'], number> = {
  'run-start': entries,
  'run-resume': entries,
  'run-end': entries,
  'variable-set': 20_000,
  'variable-unset': 20_000,
  // the run has one more at its start
  'step-start': entries - 1,
  hook: entries,
  'model-call-end': entries,
  'step-end': entries,
  'text-start': entries,
  'text-delta': 40_000,
  'text-end': entries,
  'reasoning-start': entries,
  'reasoning-delta': 40_000,
  'reasoning-end': entries,
  'tool-input-start': entries,
  'tool-input-delta': entries,
  'tool-input-end': entries,
  'tool-start': entries,
  'tool-preliminary': entries,
  'tool-end': entries,
  'tool-error': entries,
  'approval-automatic': entries,
  'sub-call-start': entries,
  'sub-call-end': entries - 1,
  'agent-start': entries,
  'agent-end': entries,
  'task-add': entries,
  'task-update': entries,
  'task-move': entries,
  'task-remove': entries,
  'approval-request': entries,
  'approval-response': entries,
  'approval-withdraw': entries,
  'client-tool-request': entries,
  'client-tool-claim': entries,
  'client-tool-response': entries,
  'client-tool-withdraw': entries,
  steer: entries,
  source: entries,
  custom: entries,
  file: entries,
  warning: entries,
  retry: entries,
};
