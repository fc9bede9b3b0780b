import { initialState, reduceAll, type RunEvent, type RunEventBody } from '@cueline/core';
import { expect, test } from 'vitest';
import { announcement, toTranscript } from '../../src/transcript/view-model.ts';

const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 14 } as never;
const start: RunEventBody = {
  type: 'run-start',
  v: 1,
  runId: 'run',
  model: 'simulated:demo',
  messages: [{ id: 'ask', role: 'user', parts: [{ type: 'text', text: 'Weather in <CITY>?' }] }],
  messageId: 'answer',
};
const firstStep: RunEventBody = {
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
const weather: RunEventBody[] = [
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
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', text: 'Sunny.' },
  { type: 'text-end', id: 't' },
  { type: 'step-end', step: 1, finishReason: 'stop', usage },
  { type: 'run-end', outcome: 'done', finishReason: 'stop' },
];

function stateOf(bodies: readonly RunEventBody[]) {
  return reduceAll(bodies.map((body, seq): RunEvent => ({ seq, t: seq * 10, ...body })));
}
const kinds = (bodies: readonly RunEventBody[]) => toTranscript(stateOf(bodies)).map(({ kind }) => kind);

test('shows context, steps, thinking, tools and text in the order in which they happened', () => {
  expect(kinds(weather)).toEqual(['system', 'user', 'step', 'reasoning', 'tool', 'step', 'text']);
  expect(toTranscript(stateOf(weather))[4]).toMatchObject({
    kind: 'tool',
    live: false,
    call: { toolName: 'getWeather', output: 'sunny', startedAt: 80, finishedAt: 90 },
  });
});

test('rows keep their keys while the run goes on, and no two share one', () => {
  const keysAt = (length: number) => toTranscript(stateOf(weather.slice(0, length))).map(({ key }) => key);
  for (let length = 3; length < weather.length; length++) {
    expect(keysAt(length + 1).slice(0, keysAt(length).length)).toEqual(keysAt(length));
    expect(new Set(keysAt(length)).size).toBe(keysAt(length).length);
  }
});

test('a step that has said nothing yet waits for the model', () => {
  const rows = toTranscript(stateOf(weather.slice(0, 3)));
  expect(rows.at(-1)).toMatchObject({ kind: 'step', waiting: true });
  expect(toTranscript(stateOf(weather.slice(0, 5))).find(({ kind }) => kind === 'step')).toMatchObject({
    waiting: false,
  });
});

test('a tool that runs is live, and interrupted when the run is stopped', () => {
  const running = weather.slice(0, 9);
  expect(toTranscript(stateOf(running)).at(-1)).toMatchObject({
    kind: 'tool',
    live: true,
    call: { state: 'running' },
  });
  const stopped = toTranscript(stateOf([...running, { type: 'run-end', outcome: 'stopped' }]));
  expect(stopped.slice(-2)).toMatchObject([
    { kind: 'tool', live: false, call: { state: 'interrupted' } },
    { kind: 'stopped' },
  ]);
});

test('warnings and the error come last', () => {
  const error = { code: 'auth', message: 'The key was refused.' } as const;
  const rows = toTranscript(
    stateOf([
      ...weather.slice(0, 3),
      { type: 'warning', message: 'seed is ignored' },
      { type: 'run-end', outcome: 'error', error },
    ]),
  );
  expect(rows.slice(-2)).toMatchObject([
    { kind: 'warning', message: 'seed is ignored' },
    { kind: 'error', error },
  ]);
});

test('a reply shows the whole conversation, with the times of earlier tool calls', () => {
  const before = stateOf(weather);
  const reply: RunEventBody[] = [
    {
      ...start,
      messages: [
        ...before.messages,
        { id: 'again', role: 'user', parts: [{ type: 'text', text: 'And tomorrow?' }] },
      ],
      messageId: 'second',
    },
    firstStep,
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', text: 'Rain.' },
  ];
  const rows = toTranscript(stateOf(reply), [before]);
  expect(rows.map(({ kind }) => kind)).toEqual([
    'system',
    'user',
    'reasoning',
    'tool',
    'text',
    'user',
    'step',
    'text',
  ]);
  expect(rows[3]).toMatchObject({ live: false, call: { startedAt: 80, finishedAt: 90 } });
  expect(rows.at(-1)).toMatchObject({ text: 'Rain.', streaming: true });
});

test('nothing has happened before the first run', () => {
  expect(toTranscript(initialState)).toEqual([]);
});

test('speaks of steps, tools and endings', () => {
  expect(announcement(stateOf(weather.slice(0, 3)))).toBe('Step 1: waiting for the model.');
  expect(announcement(stateOf(weather.slice(0, 9)))).toBe('Running tool getWeather.');
  expect(announcement(stateOf(weather))).toBe('Run done. 1 tool call, 0 failed. Sunny.');
});
