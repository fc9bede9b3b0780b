import type { RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import { createIssuedMetadata } from '../../src/sandbox/host/issued-metadata.ts';
import { startSandboxRun } from '../../src/sandbox/host/sandbox-run.ts';
import type { WorkerFrame } from '../../src/sandbox/host/worker-frame.ts';
import { defaultLimits } from '../../src/sandbox/limits.ts';
import { errorTitle } from '../../src/transcript/error-messages.ts';

const start = { type: 'run-start', t: 0, v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' };
const set = (i: number) => ({ type: 'variable-set', t: 0, name: `V${i}`, kind: 'text', value: 'v' });

/** Runs a script whose worker sends these messages at once, and then ends. */
function runWith(
  messages: readonly object[],
  host: Partial<Parameters<typeof startSandboxRun>[0]>,
): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  return new Promise((resolve) => {
    const frame: WorkerFrame = {
      open(onMessage, onEnd) {
        for (const message of messages) onMessage(JSON.stringify(message));
        onEnd({ reason: 'silent' });
      },
      answers: () => Promise.resolve(true),
      send: () => {},
      close: () => {},
    };
    startSandboxRun({
      script: 'export default (prompt: any) => {\n  prompt.$`Hi`;\n};',
      request: { input: undefined },
      signal: new AbortController().signal,
      limits: defaultLimits,
      issued: createIssuedMetadata(),
      getModel: () => Promise.resolve(scriptedModel(['Hi'])),
      secrets: () => [],
      takeFrame: () => frame,
      onProblem: () => {},
      onConsole: () => {},
      onDefinition: () => {},
      ...host,
      onEvent(event) {
        host.onEvent?.(event);
        events.push(event);
        if (event.type === 'run-end') resolve(events);
      },
    });
  });
}

test('20,000 events in one message are read in slices, in order, and before the end of their worker', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const sent = [start, ...Array.from({ length: 20_000 }, (_, i) => set(i))];
  const events = await runWith([{ type: 'events', events: sent }], {
    onEvent(event) {
      if (event.type === 'run-start') turns = 0;
    },
  });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
  expect(events).toHaveLength(20_002);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, place) => place));
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'error' });
});

test('2,000 definitions of a run are kept, each on a line of its script', async () => {
  const lines: number[] = [];
  const definition = (i: number) => ({ type: 'definition', of: 'variable', name: `V${i}`, at: { line: i } });
  await runWith(
    Array.from({ length: 3_000 }, (_, i) => definition(i)),
    { onDefinition: ({ line }) => void lines.push(line) },
  );
  expect(lines).toHaveLength(2_000);
  expect(new Set(lines)).toEqual(new Set([1, 2, 3]));
});

test.each([
  ['tool calls', (i: number) => ({ type: 'tool-input-start', t: 0, toolCallId: `c${i}`, toolName: 'a' })],
  ['warnings', () => ({ type: 'warning', t: 0, message: 'w' })],
])('a run with more than 1,000 %s ends with an error that does not blame the script', async (what, event) => {
  const sent = Array.from({ length: 1_001 }, (_, i) => event(i));
  const events = await runWith([{ type: 'events', events: [start, ...sent] }], {});
  const end = events.at(-1);
  // the model may be the cause
  const message = expect.stringContaining(`The run has more than 1,000 ${what}`) as string;
  expect(end).toMatchObject({ error: { code: 'too_large', message } });
  expect(end?.type === 'run-end' && end.error && errorTitle(end.error)).toBe('The run became too large');
});

test.each<[string, object[], string]>([
  [
    'an event that takes too long to check',
    [{ ...start, messages: [{ id: 'u', role: 'user', parts: Array.from({ length: 400_000 }, () => ({})) }] }],
    'an event of more than 100,000 values',
  ],
  [
    'many events of unknown types',
    Array.from({ length: 1_001 }, (_, i) => ({ type: `unknown-${i}` })),
    'more than 1,000 events of an unknown type',
  ],
])('a run with %s ends', async (_what, sent, excess) => {
  const events = await runWith([{ type: 'events', events: [start, ...sent] }], {});
  expect(events.map(({ type }) => type)).toEqual(['run-start', 'run-end']);
  expect(events.at(-1)).toMatchObject({
    error: { code: 'too_large', message: expect.stringContaining(excess) },
  });
});

test('a run ends if reading one of its messages fails', async () => {
  const messages = [
    { type: 'events', events: [start] },
    { type: 'console', level: 'log', text: 'a' },
  ];
  const events = await runWith(messages, {
    onConsole() {
      throw new RangeError('Too deep.');
    },
  });
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'error' });
  expect(JSON.stringify(events.at(-1))).toContain('Too deep.');
});
