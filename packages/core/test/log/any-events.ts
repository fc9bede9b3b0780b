import type { RunEvent, RunEventBody } from '@cueline/core';
import fc from 'fast-check';

type Said = RunEventBody & Pick<RunEvent, 'agent'>;

/** Events in their places in a log, ten milliseconds apart. */
export function inLog(bodies: readonly Said[]): RunEvent[] {
  return bodies.map((body, seq) => ({ seq, t: seq * 10, ...body }));
}

/** Makes every write to what a state holds throw. */
export function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
}

/** Starts of a run and of its agents, for logs that need one. */
export const runStart = {
  type: 'run-start',
  v: 2,
  runId: 'r',
  model: 'm',
  messages: [],
  messageId: 'answer',
} satisfies RunEventBody;

/** The start of the agent at `path`. */
export function agentStart(path: string): Said {
  const toolCallId = path.slice(path.lastIndexOf('/') + 1);
  return {
    type: 'agent-start',
    agent: path,
    name: 'helper',
    toolCallId,
    model: 'm:small',
    input: { path },
    messages: [],
    messageId: `answer-${path}`,
  };
}

/** `inputTokens` in, one out. */
export function tokens(inputTokens: number): Extract<RunEventBody, { type: 'step-end' }>['usage'] {
  return { inputTokens, outputTokens: 1, totalTokens: inputTokens + 1 } as never;
}

export const stepStart = (step = 0): Extract<RunEventBody, { type: 'step-start' }> => ({
  type: 'step-start',
  step,
  request: { keep: 0, messages: [] },
});

export const stepEnd = (step = 0, inputTokens = 1): Extract<RunEventBody, { type: 'step-end' }> => ({
  type: 'step-end',
  step,
  finishReason: 'stop',
  usage: tokens(inputTokens),
});

const callId = fc.constantFrom('1', '2', '__proto__');
const taskId = fc.constantFrom('task-1', 'task-2', 'task-3', '__proto__');
const pendingId = fc.constantFrom('r1', 'r2');
const index = fc.integer({ min: 0, max: 3 });
const by = fc.constantFrom('author', 'model', 'user');
const text = fc.string({ maxLength: 4 });
/** Pieces of an answer, which may be JSON. */
const piece = fc.oneof(text, fc.constantFrom('{"a":', '"b', '"', '1', ',', '[', ']', '}', ' ', ''));
const error = fc.constant({ code: 'provider_error', message: 'No.' } as const);

/** Events of one type; the optional fields are there or not. */
function event(
  type: RunEventBody['type'],
  fields: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<RunEventBody> {
  const keys = Object.keys(fields);
  return fc
    .record({ ...fields, ...optional }, { requiredKeys: keys })
    .map((body) => ({ type, ...body }) as unknown as RunEventBody);
}

const taskEvents = [
  event('task-add', { task: fc.record({ id: taskId, title: text, origin: by }), index }),
  event(
    'task-update',
    { taskId, by },
    {
      title: text,
      status: fc.constantFrom('pending', 'in_progress', 'validating', 'completed', 'failed', 'skipped'),
      attempts: index,
      result: fc.option(text),
      error: fc.option(text),
    },
  ),
  event('task-move', { taskId, by, index }),
  event('task-remove', { taskId, by }),
];

const pendingEvents = [
  event('approval-request', { approvalId: pendingId, toolCallId: callId, toolName: text, input: text }),
  event('approval-response', {
    approvalId: pendingId,
    response: fc.constantFrom({ approved: true }, { approved: false, reason: 'No.' }),
  }),
  event('approval-withdraw', { approvalId: pendingId }),
  event('client-tool-request', { clientCallId: pendingId, toolCallId: callId, toolName: text, input: text }),
  event('client-tool-claim', { clientCallId: pendingId, page: text }),
  event('client-tool-response', {
    clientCallId: pendingId,
    response: fc.constantFrom({ output: 1 }, { error: 'No.' }),
  }),
  event('client-tool-withdraw', { clientCallId: pendingId }),
];

/** What a run or an agent says between its start and its end, senseless turns included. */
export const anySaying: fc.Arbitrary<RunEventBody> = fc.oneof(
  event('variable-set', { name: callId, kind: fc.constant('text'), value: text }),
  event('step-start', { step: index, request: fc.constant({ keep: 0, messages: [], instructions: 'Be.' }) }),
  event('text-start', { id: callId }, { edited: fc.constant(true) }),
  event('text-delta', { id: callId, text: piece }),
  event('text-end', { id: callId }, { citations: fc.constant([]) }),
  event('custom', { kind: fc.constant('maker.thing') }),
  event('reasoning-delta', { id: callId, text }),
  event(
    'tool-input-start',
    { toolCallId: callId, toolName: text },
    { inputEncoding: fc.constant('text'), dynamic: fc.boolean() },
  ),
  event('approval-automatic', { toolCallId: callId, approvalId: pendingId, approved: fc.boolean() }),
  event('tool-input-delta', { toolCallId: callId, delta: fc.constantFrom('{"a"', ':1', '}') }),
  event(
    'tool-input-end',
    { toolCallId: callId, toolName: text, input: text },
    { invalid: text, dynamic: fc.boolean(), providerExecuted: fc.boolean() },
  ),
  event('tool-start', { toolCallId: callId, toolName: text }),
  event('tool-preliminary', { toolCallId: callId, output: text }),
  event('tool-end', { toolCallId: callId, output: text }, { ms: index, edited: fc.constant(true) }),
  event('tool-error', { toolCallId: callId, error: text }, { edited: fc.constant(true) }),
  event('sub-call-start', { toolCallId: callId, index, name: text, input: text }),
  event('sub-call-end', { toolCallId: callId, index, ms: index }, { output: text, error: text }),
  ...taskEvents,
  event('steer', { id: callId, cause: fc.constantFrom('tasks', 'output', 'user'), text }),
  event('warning', { message: text }),
  event('retry', { error }),
  event('step-end', { step: index, finishReason: fc.constant('stop'), usage: index.map(tokens) }),
);

/** Changes of a task list. */
export const anyTaskEvent: fc.Arbitrary<RunEventBody> = fc.oneof(...taskEvents);

/** Where an agent may be; nothing keeps one from speaking that never began. */
export const anyPath: fc.Arbitrary<string> = fc.constantFrom('a', 'a/b', 'a/b/c', 'd', '__proto__');

/** The end of an agent. */
const anyPlainAgentEnd = event(
  'agent-end',
  { outcome: fc.constantFrom('done', 'stopped') },
  { output: text },
);

export const anyAgentEnd: fc.Arbitrary<RunEventBody> = fc.oneof(
  anyPlainAgentEnd,
  event('agent-end', { outcome: fc.constant('error'), error }),
);

const resume = event('run-resume', { runId: text, model: text }, { simulated: fc.boolean() });

/** Any event at all, of the run or of an agent. */
export const anySaid: fc.Arbitrary<Said> = fc.oneof(
  { weight: 4, arbitrary: anySaying },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.oneof({ weight: 5, arbitrary: anySaying }, anyAgentEnd), anyPath)
      .map(([body, agent]) => ({ ...body, agent })),
  },
  { weight: 2, arbitrary: anyPath.map(agentStart) },
  { weight: 1, arbitrary: resume },
  ...pendingEvents.map((pending) => ({
    weight: 1,
    arbitrary: fc
      .tuple(pending, fc.option(anyPath))
      .map(([body, agent]) => (agent === null ? body : { ...body, agent })),
  })),
);

const endFacts = {
  finishReason: fc.constant('stop'),
  output: fc.oneof(text, fc.constant(null), fc.record({ a: text })),
};
const anyEnd = fc.oneof(
  event('run-end', { outcome: fc.constantFrom('done', 'stopped', 'waiting') }, endFacts),
  event('run-end', { outcome: fc.constant('error'), error }, endFacts),
);

const anyStart = fc.constantFrom(runStart, { ...runStart, structured: true as const });

/** A log from its start to, perhaps, its end. */
export const anyLog: fc.Arbitrary<RunEvent[]> = fc
  .tuple(anyStart, fc.array(anySaid, { maxLength: 40, size: 'max' }), fc.option(anyEnd))
  .map(([start, said, end]) => inLog([start, ...said, ...(end === null ? [] : [end])]));
