import { reduceAll, type RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';
import { answerWaits, runTimes } from '../../src/transcript/run-times.ts';

/** A step of 10 s whose call waits from 1 s to 7 s for an approval, and runs from 7 s to 8 s once it has it. */
function log(approved: boolean): readonly RunEvent[] {
  const call = { toolCallId: 'c1', toolName: 'send' };
  const end = approved
    ? { type: 'tool-end', ...call, output: 'sent' }
    : { type: 'tool-error', ...call, error: 'No.' };
  return [
    { t: 0, type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' },
    { t: 0, type: 'step-start', step: 0, request: { messages: [] } },
    { t: 500, type: 'tool-input-end', ...call, input: {} },
    { t: 1_000, type: 'approval-request', approvalId: 'p', ...call, input: {} },
    { t: 1_500, type: 'text-delta', id: 't', text: 'Meanwhile' },
    { t: 7_000, type: 'approval-response', approvalId: 'p', response: { approved } },
    ...(approved ? [{ t: 7_000, type: 'tool-start', ...call }] : []),
    { t: 8_000, ...end },
    { t: 10_000, type: 'step-end', step: 0, finishReason: 'stop', usage: {} },
    { t: 10_000, type: 'run-end', outcome: 'done', finishReason: 'stop' },
  ].map((event, seq) => ({ seq, ...event }) as RunEvent);
}

test('the time until an answer counts as waiting, and not as the model’s', () => {
  expect(answerWaits(log(true))).toEqual([
    { start: 1_000, end: 1_500 },
    { start: 1_500, end: 7_000 },
  ]);
  expect(runTimes(reduceAll(log(true)), log(true))).toEqual({ waiting: 6_000, tools: 1_000, model: 3_000 });
  expect(runTimes(reduceAll(log(false)), log(false))).toEqual({ waiting: 6_000, tools: 0, model: 4_000 });
});

test('a run without an answer to wait for has no such time', () => {
  const quiet = log(true).filter(({ type }) => !type.startsWith('approval'));
  expect(runTimes(reduceAll(quiet), quiet)).toEqual({ waiting: 0, tools: 1_000, model: 9_000 });
});

test('a call that a continued run makes between two steps, and its first try, are no time of the model', () => {
  const call = { toolCallId: 'c', toolName: 'read' };
  const events = [
    { t: 0, type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' },
    { t: 0, type: 'step-start', step: 0, request: { messages: [] } },
    { t: 900, type: 'tool-input-end', ...call, input: {} },
    { t: 1_000, type: 'tool-start', ...call },
    { t: 1_200, type: 'step-end', step: 0, finishReason: 'interrupted', usage: {} },
    { t: 1_200, type: 'run-resume', runId: 's', model: 'm' },
    { t: 1_300, type: 'approval-request', approvalId: 'p', ...call, input: {} },
    { t: 61_300, type: 'approval-response', approvalId: 'p', response: { approved: true } },
    { t: 61_300, type: 'tool-start', ...call },
    { t: 62_300, type: 'tool-end', ...call, output: 'text' },
    { t: 62_300, type: 'step-start', step: 1, request: { messages: [] } },
    { t: 66_300, type: 'step-end', step: 1, finishReason: 'stop', usage: {} },
    { t: 66_300, type: 'run-end', outcome: 'done', finishReason: 'stop' },
  ].map((event, seq) => ({ seq, ...event }) as RunEvent);
  expect(runTimes(reduceAll(events), events)).toEqual({ waiting: 60_000, tools: 1_200, model: 5_000 });
});

test('a summary of the conversation before a step counts as time of the model', () => {
  const step = (t: number, until: number, of: { agent?: string } = {}) => [
    { t, type: 'step-start', step: 0, request: { messages: [] }, ...of },
    { t: until, type: 'step-end', step: 0, finishReason: 'stop', usage: {}, ...of },
  ];
  const events = [
    { t: 0, type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' },
    { t: 0, type: 'agent-start', agent: 'summarize', name: 'summarize', messages: [], messageId: 'b' },
    ...step(0, 4_000, { agent: 'summarize' }),
    { t: 4_000, type: 'agent-end', agent: 'summarize', outcome: 'done', finishReason: 'stop' },
    ...step(4_000, 6_000),
    { t: 6_000, type: 'run-end', outcome: 'done', finishReason: 'stop' },
  ].map((event, seq) => ({ seq, ...event }) as RunEvent);
  expect(runTimes(reduceAll(events), events)).toEqual({ waiting: 0, tools: 0, model: 6_000 });
});
