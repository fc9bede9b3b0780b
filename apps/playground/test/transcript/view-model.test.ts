import { isInProgress, initialState, type RunEventBody, type RunState } from '@cueline/core';
import { suspend } from '@cueline/core/agents';
import { expect, test } from 'vitest';
import { announcement } from '../../src/transcript/announcement.ts';
import { callOfAgent } from '../../src/transcript/calls/known-calls.ts';
import { isSuspended } from '../../src/transcript/outcome.ts';
import { toTranscript } from '../../src/transcript/view-model.ts';
import {
  begun,
  called,
  ended,
  firstStep,
  outline,
  ran,
  said,
  start,
  stateOf,
  step,
  usage,
  weather,
} from './run-events.ts';

const kinds = (bodies: readonly RunEventBody[]) => toTranscript(stateOf(bodies)).map(({ kind }) => kind);

test('shows context, steps, thinking, tools and text in the order in which they happened', () => {
  expect(kinds(weather)).toEqual(['system', 'user', 'step', 'reasoning', 'tool', 'step', 'text']);
  expect(toTranscript(stateOf(weather))[4]).toMatchObject({
    kind: 'tool',
    live: false,
    call: { toolName: 'getWeather', output: 'sunny', startedAt: 80, finishedAt: 90 },
  });
});

test('rows keep their keys while the run continues, and no two share one', () => {
  const keysAt = (length: number) => toTranscript(stateOf(weather.slice(0, length))).map(({ key }) => key);
  for (let length = 3; length < weather.length; length++) {
    expect(keysAt(length + 1).slice(0, keysAt(length).length)).toEqual(keysAt(length));
    expect(new Set(keysAt(length)).size).toBe(keysAt(length).length);
  }
});

test('a step without output waits for the model', () => {
  const rows = toTranscript(stateOf(weather.slice(0, 3)));
  expect(rows.at(-1)).toMatchObject({ kind: 'step', waiting: true });
  expect(toTranscript(stateOf(weather.slice(0, 5))).find(({ kind }) => kind === 'step')).toMatchObject({
    waiting: false,
  });
});

test('a step whose model call failed shows whether it waits for another attempt or for a network', () => {
  const retry: RunEventBody = {
    type: 'retry',
    error: { code: 'rate_limited', message: 'Too many requests.' },
    attempt: 2,
    maxAttempts: 3,
    delayMs: 2_000,
  };
  const rows = toTranscript(stateOf([...weather.slice(0, 3), retry]));
  expect(rows.at(-1)).toMatchObject({
    kind: 'step',
    waiting: true,
    retrying: { attempt: 2, maxAttempts: 3, delayMs: 2_000 },
    offline: false,
  });
  const offline = toTranscript(stateOf([...weather.slice(0, 3), { ...retry, offline: true }]));
  expect(offline.at(-1)).toMatchObject({ kind: 'step', waiting: true, offline: true });
  const answered = toTranscript(stateOf([...weather.slice(0, 3), retry, ...weather.slice(3)]));
  expect(answered.find(({ kind }) => kind === 'step')).toMatchObject({ waiting: false, retrying: undefined });
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

test('an answer that was cut off says so, and one that is whole does not', () => {
  const answered = (finishReason: 'stop' | 'length'): RunEventBody[] => [
    start,
    { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
    ...said('The town lies'),
    { type: 'step-end', step: 0, finishReason, usage },
    { type: 'run-end', outcome: 'done', finishReason },
  ];
  expect(kinds(answered('stop'))).toEqual(['user', 'step', 'text']);
  expect(toTranscript(stateOf(answered('length'))).slice(2)).toMatchObject([
    { kind: 'text', text: 'The town lies' },
    { kind: 'warning', message: expect.stringContaining('The answer was cut off') },
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
  const rows = toTranscript(stateOf(reply), [{ log: [], state: before }]);
  expect(rows.map(({ kind }) => kind)).toEqual([
    'system',
    'user',
    'step',
    'reasoning',
    'tool',
    'step',
    'text',
    'user',
    'step',
    'text',
  ]);
  expect(rows.flatMap((row) => (row.kind === 'step' ? [row.turn] : []))).toEqual([0, 0, 1]);
  expect(rows[4]).toMatchObject({ live: false, call: { startedAt: 80, finishedAt: 90 } });
  expect(rows.at(-1)).toMatchObject({ text: 'Rain.', streaming: true });
});

test('nothing has happened before the first run', () => {
  expect(toTranscript(initialState)).toEqual([]);
});

test('a run says that it starts until its first event', () => {
  const starting = { ...initialState, status: 'running', phase: 'requesting' } as RunState;
  expect(toTranscript(starting).map(({ kind }) => kind)).toEqual(['starting']);
  const reply = { ...starting, messages: stateOf(weather).messages };
  expect(toTranscript(reply).at(-1)).toMatchObject({ kind: 'starting' });
  expect(kinds([start])).toEqual(['user']);
});

const summed = (number: number): RunEventBody[] => [
  ...begun(`summarize-${number}`, 'summarize'),
  ...step(0, [], `summarize-${number}`),
  ...ended(`summarize-${number}`),
];

const session: RunEventBody[] = [
  start,
  ...step(0, [...called('c1', 'look'), ...ran('c1', 'look', 'first')]),
  ...summed(1),
  { type: 'steer', id: 's1', cause: 'session', text: 'Please continue.' },
  ...step(1, [...called('c2', 'look'), ...ran('c2', 'look', 'second')]),
];

test('a summary is shown between its steps, without the conversation that it summarizes', () => {
  expect(outline(toTranscript(stateOf([...session, ...begun('summarize-2', 'summarize')])))).toEqual([
    'user',
    'step',
    'look "first"',
    ['inner summarize-1', ['given', 'step']],
    'steer',
    'step',
    'look "second"',
    ['inner summarize-2', ['given']],
  ]);
  const state = stateOf([...session, ...summed(2), ...step(2, [])]);
  expect(outline(toTranscript(state)).slice(-2)).toEqual([['inner summarize-2', ['given', 'step']], 'step']);
  expect(toTranscript(state).find(({ kind }) => kind === 'inner')).toMatchObject({ variant: 'summary' });
});

test('a summary stays in its place after a reply, and the reply’s own summaries follow', () => {
  const before = stateOf([...session, { type: 'run-end', outcome: 'done', finishReason: 'stop' }]);
  const reply: RunEventBody[] = [
    {
      ...start,
      runId: 'reply',
      messages: [
        ...before.messages,
        { id: 'again', role: 'user', parts: [{ type: 'text', text: 'And tomorrow?' }] },
      ],
      messageId: 'second',
    },
    ...summed(1),
    ...step(0, []),
  ];
  const items = toTranscript(stateOf(reply), [{ log: [], state: before }]);
  expect(outline(items)).toEqual([
    'user',
    'step',
    'look "first"',
    ['inner summarize-1', ['given', 'step']],
    'steer',
    'step',
    'look "second"',
    'user',
    ['inner summarize-1', ['given', 'step']],
    'step',
  ]);
  expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
});

test('a message to the model shows the outcome of the step before it', () => {
  const told = (id: string): RunEventBody => ({ type: 'steer', id, cause: 'call', text: 'Go on.' });
  const [begin, end] = [
    step(2, [])[0]!,
    { type: 'step-end', step: 2, finishReason: 'other', usage } as const,
  ];
  const items = toTranscript(
    stateOf([
      start,
      ...step(0, [...called('c1', 'look'), ...ran('c1', 'look', 'first')]),
      told('s1'),
      ...step(1, []),
      told('s2'),
      begin,
      end,
      told('s3'),
      ...step(3, []),
    ]),
  );
  expect(items.flatMap((item) => (item.kind === 'steer' ? [item.after] : []))).toEqual([
    'calls',
    'answer',
    'failure',
  ]);
});

test('a session ends with the summary of its task', () => {
  const input = { summary: 'All is sown.', result: { sown: 2 } };
  const events: RunEventBody[] = [start, ...step(0, called('c1', 'task_complete', input))];
  expect(kinds(events).at(-1)).toBe('tool');
  const done = stateOf([
    start,
    ...step(0, [...called('c1', 'task_complete', input), ...ran('c1', 'task_complete', { completed: true })]),
    { type: 'run-end', outcome: 'done', finishReason: 'tool-calls', output: input },
  ]);
  expect(toTranscript(done).slice(2)).toEqual([{ key: 'answer-1', kind: 'complete', ...input }]);
});

test("a call that has suspended its session is recognized by its tool's result", () => {
  const callWith = (output: unknown) =>
    stateOf([start, ...step(0, [...called('c1', 'ask'), ...ran('c1', 'ask', output)])]).toolCalls[0]!;
  expect(isSuspended(callWith(suspend({ question: 'Which?' })))).toBe(true);
  expect(isSuspended(callWith('yes'))).toBe(false);
  expect(isSuspended(callWith(null))).toBe(false);
});

test('the parsed answer is shown if the answer itself does not show it', () => {
  const ending = (text: string, output: unknown) =>
    toTranscript(
      stateOf([
        start,
        ...step(0, said(text)),
        { type: 'run-end', outcome: 'done', finishReason: 'stop', output },
      ]),
    ).at(-1);
  expect(ending('<name>Snail</name>', { name: 'Snail' })).toEqual({
    key: 'result',
    kind: 'result',
    value: { name: 'Snail' },
  });
  expect(ending('{"name":"Snail"}', { name: 'Snail' })).toMatchObject({ kind: 'text' });
  expect(ending('spam', 'spam')).toMatchObject({ kind: 'text' });
});

test('the result of an agent that answers no call is shown at its call', () => {
  const agentOf = (...bodies: RunEventBody[]) =>
    stateOf([start, ...begun('c1', 'classify'), ...step(0, [], 'c1'), ...bodies]).agents[0]!;
  expect(callOfAgent(agentOf())).toMatchObject({ toolName: 'classify', state: 'running', startedAt: 20 });
  expect(
    callOfAgent(
      agentOf({ ...({ agent: 'c1' } as object), type: 'agent-end', outcome: 'done', output: 'spam' }),
    ),
  ).toMatchObject({ state: 'output-available', input: {}, output: 'spam', startedAt: 20, finishedAt: 30 });
  const error = { code: 'parse_failed', message: 'No label.' } as const;
  expect(
    callOfAgent(agentOf({ ...({ agent: 'c1' } as object), type: 'agent-end', outcome: 'error', error })),
  ).toMatchObject({ state: 'output-error', errorText: 'No label.' });
});

test('a request to the user is shown at its call until the log answers it', () => {
  const asked: RunEventBody[] = [
    start,
    { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
    ...called('c1', 'send', { to: 'all' }),
    {
      type: 'approval-request',
      approvalId: 'r1',
      toolCallId: 'c1',
      toolName: 'send',
      input: { to: 'all' },
    },
  ];
  const waiting = stateOf(asked);
  expect(waiting.status).toBe('waiting');
  expect(isInProgress(waiting)).toBe(true);
  expect(toTranscript(waiting).at(-1)).toMatchObject({
    kind: 'tool',
    live: true,
    pending: { approvalId: 'r1' },
  });
  expect(announcement(waiting)).toBe('Waiting for you: may send run?');
  const refused = stateOf([
    ...asked,
    { type: 'approval-response', approvalId: 'r1', response: { approved: false, reason: 'no' } },
  ]);
  expect(toTranscript(refused).at(-1)).toMatchObject({
    pending: { response: { approved: false, reason: 'no' } },
  });
  // a log with this end cannot be answered here
  const over = stateOf([...asked.slice(0, -1), { type: 'run-end', outcome: 'waiting' }]);
  expect(over.status).toBe('waiting');
  expect(isInProgress(over)).toBe(false);
  expect(toTranscript(over).slice(-2)).toMatchObject([
    { kind: 'tool', live: false, pending: undefined },
    { kind: 'suspended' },
  ]);
  expect(announcement(over)).toBe('Run ended. It waits for an answer.');
  // a second request with the same words is announced as another one
  const again = stateOf([
    ...asked,
    { type: 'approval-response', approvalId: 'r1', response: { approved: true } },
    { ...asked.at(-1)!, approvalId: 'r2' } as RunEventBody,
  ]);
  expect(announcement(again)).toBe('Waiting for you, question 2: may send run?');
});

test('messages to the model between two steps are shown between them', () => {
  const items = toTranscript(
    stateOf([
      start,
      ...step(0, []),
      { type: 'steer', id: 's1', cause: 'tasks', text: 'Tasks are open.' },
      ...step(1, []),
    ]),
  );
  expect(items.map(({ key, kind }) => `${kind} ${key}`)).toEqual([
    'user ask',
    'step step-0-0',
    'steer s1',
    'step step-0-1',
  ]);
});

test('files of a message are rows of their own, the same from frame to frame', () => {
  const picture = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' } as const;
  const withPicture: RunEventBody = {
    ...start,
    messages: [{ id: 'ask', role: 'user', parts: [{ type: 'text', text: 'What is it?' }, picture] }],
  };
  const state = stateOf([withPicture]);
  const [row] = toTranscript(state);
  expect(row).toMatchObject({ kind: 'user', text: 'What is it?', files: [picture] });
  expect((toTranscript(state)[0] as typeof row & { files: unknown }).files).toBe(
    (row as typeof row & { files: unknown }).files,
  );
});
