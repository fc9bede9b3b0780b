import { reduceAll, type RunEvent, type RunEventBody } from '@cueline/core';
import type { TranscriptItem } from '../../src/transcript/transcript-item.ts';

export const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 14 } as never;

export const start = {
  type: 'run-start',
  v: 2,
  runId: 'run',
  model: 'simulated:demo',
  messages: [{ id: 'ask', role: 'user', parts: [{ type: 'text', text: 'Weather in <CITY>?' }] }],
  messageId: 'answer',
} satisfies RunEventBody;

/** A log in which one of these events, of the run or of an agent, happens every 10 ms. */
export function logOf(bodies: readonly (RunEventBody & { agent?: string })[]): RunEvent[] {
  return bodies.map((body, seq): RunEvent => ({ seq, t: seq * 10, ...body }));
}

export function stateOf(bodies: readonly RunEventBody[]) {
  return reduceAll(logOf(bodies));
}

/** The events of one step, of the run or of the agent at `agent`. */
export function step(number: number, bodies: readonly RunEventBody[], agent?: string): RunEventBody[] {
  const all: RunEventBody[] = [
    { type: 'step-start', step: number, request: { keep: 0, messages: [] } },
    ...bodies,
    { type: 'step-end', step: number, finishReason: 'tool-calls', usage },
  ];
  return agent === undefined ? all : all.map((body) => ({ ...body, agent }));
}

export const called = (toolCallId: string, toolName: string, input: unknown = {}): RunEventBody[] => [
  { type: 'tool-input-start', toolCallId, toolName },
  { type: 'tool-input-end', toolCallId, toolName, input },
];

export const ran = (toolCallId: string, toolName: string, output: unknown): RunEventBody[] => [
  { type: 'tool-start', toolCallId, toolName },
  { type: 'tool-end', toolCallId, output },
];

export const begun = (agent: string, name: string): RunEventBody[] => [
  {
    ...({ agent } as object),
    type: 'agent-start',
    name,
    toolCallId: agent.split('/').at(-1)!,
    model: 'simulated:demo',
    input: {},
    messages: [{ id: `ask-${agent}`, role: 'user', parts: [{ type: 'text', text: `For ${name}` }] }],
    messageId: `answer-${agent}`,
  },
];

export const ended = (agent: string): RunEventBody[] => [
  { ...({ agent } as object), type: 'agent-end', outcome: 'done' },
];

/** Rows by kind and name, with those of agents inside. */
export function outline(items: readonly TranscriptItem[]): unknown[] {
  return items.map((item) => {
    if (item.kind === 'agent') return [item.call.toolName, outline(item.items)];
    if (item.kind === 'inner') return [`inner ${item.agent.path}`, outline(item.items)];
    if (item.kind === 'tool') {
      const line = `${item.call.toolName} ${JSON.stringify(item.call.output)}`;
      return item.inner.length === 0 ? line : [line, outline(item.inner)];
    }
    return item.kind;
  });
}

export const agentsAtWork: RunEventBody[] = [
  start,
  { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
  ...called('c1', 'outer'),
  { type: 'tool-start', toolCallId: 'c1', toolName: 'outer' },
  ...begun('c1', 'outer'),
  { ...({ agent: 'c1' } as object), type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
  ...called('c1', 'inner').map((body) => ({ ...body, agent: 'c1' })),
  ...begun('c1/c1', 'inner'),
  ...step(0, [...called('c1', 'dig'), ...ran('c1', 'dig', 'rock')], 'c1/c1'),
];

/** A text of the model, in one piece. */
export const said = (text: string, id = 't'): RunEventBody[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, text },
  { type: 'text-end', id },
];

export const firstStep: RunEventBody = {
  type: 'step-start',
  step: 0,
  request: {
    keep: 0,
    messages: [],
    model: 'simulated:demo',
    instructions: '<CITY>Lisbon</CITY>',
    tools: [],
    settings: {},
  },
};

/** A run that looks up the weather, and then says it. */
export const weather: RunEventBody[] = [
  start,
  { type: 'variable-set', name: 'CITY', kind: 'text', value: 'Lisbon' },
  firstStep,
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', text: 'Look it up.' },
  { type: 'reasoning-end', id: 'r' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'getWeather' },
  { type: 'tool-input-end', toolCallId: 'c1', toolName: 'getWeather', input: { city: 'Lisbon' } },
  { type: 'tool-start', toolCallId: 'c1', toolName: 'getWeather' },
  { type: 'tool-end', toolCallId: 'c1', output: 'sunny' },
  { type: 'step-end', step: 0, finishReason: 'tool-calls', usage },
  { type: 'step-start', step: 1, request: { keep: 0, messages: [] } },
  ...said('Sunny.'),
  { type: 'step-end', step: 1, finishReason: 'stop', usage },
  { type: 'run-end', outcome: 'done', finishReason: 'stop' },
];
