import { reduceAll, type RunEvent, type RunEventBody } from '@cueline/core';
import { expect, test } from 'vitest';
import { buildRows } from '../../src/timeline/build-rows.ts';
import { visibleRows, type TimelineRow } from '../../src/timeline/timeline-row.ts';
import {
  agentsAtWork,
  begun,
  called,
  ended,
  logOf,
  ran,
  said,
  start,
  step,
  usage,
} from '../transcript/run-events.ts';

function rowsOf(log: readonly RunEvent[]): readonly TimelineRow[] {
  return buildRows(reduceAll(log), log, 0);
}

/** Rows as text: level by indentation, label, and each part of the bar with its times. */
function outline(rows: readonly TimelineRow[]): string[] {
  return rows.map(({ level, label, segments, start: at }) => {
    const parts = segments.map(({ kind, start: from, end = '…' }) => `${kind} ${from}-${end}`);
    return `${'  '.repeat(level - 1)}${label}: ${parts.length === 0 ? `at ${at}` : parts.join(', ')}`;
  });
}

const begin: RunEventBody = { type: 'step-start', step: 0, request: { keep: 0, messages: [] } };
const finish: RunEventBody = { type: 'step-end', step: 0, finishReason: 'tool-calls', usage };
const end: RunEventBody = { type: 'run-end', outcome: 'done', finishReason: 'stop' };

test('a step shows time to first token and generation separately, with its thinking, text and call below it', () => {
  const log = logOf([
    start,
    begin,
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', text: 'Hm.' },
    { type: 'reasoning-end', id: 'r' },
    ...said('Let me look.'),
    ...called('c', 'look'),
    ...ran('c', 'look', 'rain'),
    finish,
    end,
  ]);
  const rows = rowsOf(log);
  expect(outline(rows)).toEqual([
    'Step 1: first-token 10-30, generating 30-90, rest 90-120',
    '  Thinking: thinking 20-40',
    '  Text: text 50-70',
    '  look: arguments 80-90, running 100-110',
  ]);
  expect(rows.map(({ selection }) => selection)).toMatchObject([
    { kind: 'step', turn: 0, step: 0 },
    { kind: 'step', turn: 0, step: 0 },
    { kind: 'step', turn: 0, step: 0 },
    { kind: 'call', turn: 0, step: 0, toolCallId: 'c' },
  ]);
  expect(rows.map(({ isItself }) => isItself)).toEqual([true, false, false, true]);
});

test('a step without calls generates until its end', () => {
  const text: RunEventBody[] = [...said('Rain.')];
  expect(outline(rowsOf(logOf([start, begin, ...text, finish, end])))).toEqual([
    'Step 1: first-token 10-30, generating 30-50',
    '  Text: text 20-40',
  ]);
  expect(outline(rowsOf(logOf([start, begin, ...text])))[0]).toBe(
    'Step 1: first-token 10-30, generating 30-…',
  );
});

test('a step that was cut off and continued is one step, with the attempt that was cut off as a note', () => {
  const log = logOf([
    start,
    begin,
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', text: 'Let me' },
    { type: 'retry', error: { code: 'interrupted', message: 'The page was closed.' } },
    begin,
    ...said('Let me look.', 'u'),
    finish,
    ...step(1, [...said('Rain.', 'v')]),
    end,
  ]);
  const rows = outline(rowsOf(log));
  expect(rows.filter((row) => row.startsWith('Step'))).toHaveLength(2);
  expect(rows).toContain('  Text: text 60-80');
  expect(rows).toContain('  Text: text 110-130');
  expect(rows.some((row) => row.startsWith('  Cut off'))).toBe(true);
});

test('a row that is in progress has no end, and the end of the run ends unfinished rows', () => {
  const log = logOf([
    start,
    begin,
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', text: 'So' },
  ]);
  expect(outline(rowsOf(log))).toEqual(['Step 1: first-token 10-30, generating 30-…', '  Text: text 20-…']);
  const stopped = logOf([start, begin, ...called('c', 'look'), ...ran('c', 'look', 1).slice(0, 1), end]);
  expect(outline(rowsOf(stopped))).toEqual([
    'Step 1: first-token 10-20, generating 20-30, rest 30-50',
    '  look: arguments 20-30, running 40-50',
  ]);
});

test('parallel calls overlap', () => {
  const log = logOf([
    start,
    begin,
    ...called('a', 'look'),
    ...called('b', 'look'),
    { type: 'tool-start', toolCallId: 'a', toolName: 'look' },
    { type: 'tool-start', toolCallId: 'b', toolName: 'look' },
    { type: 'tool-end', toolCallId: 'a', output: 1 },
    { type: 'tool-error', toolCallId: 'b', error: 'No signal.' },
    finish,
    end,
  ]);
  expect(outline(rowsOf(log)).slice(1)).toEqual([
    '  look: arguments 20-30, running 60-80',
    '  look: arguments 40-50, failed 70-90',
  ]);
});

test('the wait for an approval is a part of its call, and a separate row with the answer', () => {
  const ask: RunEventBody = {
    type: 'approval-request',
    approvalId: 'p',
    toolCallId: 'c',
    toolName: 'send',
    input: {},
  };
  const asked = [start, begin, ...called('c', 'send'), ask];
  expect(outline(rowsOf(logOf(asked))).slice(1)).toEqual([
    '  send: arguments 20-30, asking 40-…',
    '    Approval: asking 40-…',
  ]);
  const log = logOf([
    ...asked,
    { type: 'approval-response', approvalId: 'p', response: { approved: true } },
    ...ran('c', 'send', 'sent'),
    finish,
    end,
  ]);
  const rows = rowsOf(log);
  expect(outline(rows).slice(1)).toEqual([
    '  send: arguments 20-30, running 60-70, asking 40-50',
    '    Approval: asking 40-50',
  ]);
  expect(rows.map(({ detail }) => detail)).toEqual([undefined, undefined, 'Approved']);
});

test('agents have their own steps, and so do the agents inside them', () => {
  const rows = rowsOf(logOf(agentsAtWork));
  expect(rows.map(({ level, kind, label }) => `${'  '.repeat(level - 1)}${kind} ${label}`)).toEqual([
    'step Step 1',
    '  agent outer',
    '    step Step 1',
    '      agent inner',
    '        step Step 1',
    '          call dig',
  ]);
  expect(rows[4]!.selection).toEqual({ kind: 'step', turn: 0, agent: 'c1/c1', step: 0 });
  const folded = visibleRows(rows, new Set([rows[1]!.key]));
  expect(folded.map(({ label }) => label)).toEqual(['Step 1', 'outer']);
});

test('the bar of an agent that continued in a fork covers the steps that the fork has kept', () => {
  const outer: RunEventBody = { type: 'tool-start', toolCallId: 'c1', toolName: 'outer' };
  const log = logOf([
    start,
    begin,
    ...called('c1', 'outer'),
    outer,
    ...begun('c1', 'outer'),
    ...step(0, [], 'c1'),
    { type: 'run-resume', runId: 'fork', model: 'simulated:demo' },
    outer,
    ...step(1, [], 'c1'),
    ...ended('c1'),
    { type: 'tool-end', toolCallId: 'c1', output: 'done' },
    finish,
    end,
  ]);
  expect(outline(rowsOf(log))[1]).toBe('  outer: arguments 20-30, running 40-80, running 90-130');
});

test('retries, a broken-off answer, nudges, warnings and a failure are rows', () => {
  const error = { code: 'provider_error', message: 'Overloaded.' } as const;
  const log = logOf([
    start,
    begin,
    { type: 'retry', error, attempt: 2, maxAttempts: 3, delayMs: 5 },
    { type: 'text-start', id: 'a' },
    { type: 'text-delta', id: 'a', text: 'Lost' },
    { type: 'retry', error },
    ...said('Kept', 'a'),
    { type: 'warning', message: 'Odd.' },
    finish,
    { type: 'steer', id: 's', cause: 'tasks', text: 'Tasks are open.' },
    { type: 'run-end', outcome: 'error', error },
  ]);
  const rows = rowsOf(log);
  expect(outline(rows).slice(1)).toEqual([
    '  Attempt 2 of 3: retrying 20-25',
    '  Cut off: failed 20-50',
    '  Text: text 60-80',
    '  Warning: at 90',
    'Nudge: at 110',
    'Failed: at 120',
  ]);
  expect(rows.map(({ detail }) => detail)).toEqual([
    undefined,
    'Overloaded.',
    'Overloaded.',
    undefined,
    'Odd.',
    'Tasks are open.',
    'Overloaded.',
  ]);
});

test.each<[string, RunEventBody]>([
  ['an answer', { type: 'text-start', id: 'a' }],
  ['the end of the run', { type: 'run-end', outcome: 'stopped' }],
])('a wait for a network lasts until %s', (_what, next) => {
  const error = { code: 'network', message: 'No network.' } as const;
  const offline = {
    type: 'retry',
    error,
    attempt: 1,
    maxAttempts: 3,
    delayMs: 30_000,
    offline: true,
  } as const;
  const waiting: RunEventBody[] = [start, begin, offline, { type: 'warning', message: 'Odd.' }];
  expect(outline(rowsOf(logOf(waiting)))[1]).toBe('  Offline: retrying 20-…');
  expect(outline(rowsOf(logOf([...waiting, next])))[1]).toBe('  Offline: retrying 20-40');
});

test('a log that grows has the same rows at every event as a log that is read at once', () => {
  const whole = logOf([...agentsAtWork, ...step(1, called('z', 'look'))]);
  const growing: RunEvent[] = [];
  for (const event of whole) {
    growing.push(event);
    expect(outline(rowsOf(growing))).toEqual(outline(rowsOf(growing.slice())));
  }
  const state = reduceAll(growing);
  expect(buildRows(state, growing, 0)).toBe(buildRows(state, growing, 0));
  // a run that starts again writes into the same log
  growing.length = 0;
  growing.push(...logOf([start, begin]));
  expect(outline(rowsOf(growing))).toEqual(['Step 1: first-token 10-…']);
});

test('the rows of two agents with the same path have keys of their own', () => {
  const summary = [
    ...begun('s', 'summarize'),
    ...step(0, [{ type: 'warning', message: 'Slow.' }, ...called('c', 'look')], 's'),
    ...ended('s'),
  ];
  const resume: RunEventBody = { type: 'run-resume', runId: 'again', model: 'simulated:demo' };
  const rows = rowsOf(logOf([start, ...step(0, []), ...summary, resume, ...summary, ...step(1, []), end]));
  expect(rows.filter(({ label }) => label === 'summarize')).toHaveLength(2);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});
