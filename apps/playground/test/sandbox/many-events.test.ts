import type { RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import type { Cell } from '../../src/sandbox/host/cell.ts';
import { createIssuedMetadata } from '../../src/sandbox/host/issued-metadata.ts';
import { startSandboxRun } from '../../src/sandbox/host/sandbox-run.ts';
import { defaultLimits } from '../../src/sandbox/limits.ts';

const start = { type: 'run-start', t: 0, v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' };
const set = (i: number) => ({ type: 'variable-set', t: 0, name: `V${i}`, kind: 'text', value: 'v' });

test('20,000 events in one message are read in slices, in their order, and before the end of their worker', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const events: RunEvent[] = [];
  await new Promise<void>((resolve) => {
    const cell: Cell = {
      open(onMessage, onEnd) {
        const sent = [start, ...Array.from({ length: 20_000 }, (_, i) => set(i))];
        onMessage(JSON.stringify({ type: 'events', events: sent }));
        onEnd({ reason: 'silent' });
      },
      answers: () => Promise.resolve(true),
      send: () => {},
      close: () => {},
    };
    startSandboxRun({
      script: 'export default (prompt: any) => { prompt.$`Hi`; };',
      request: { input: undefined },
      signal: new AbortController().signal,
      limits: defaultLimits,
      issued: createIssuedMetadata(),
      getModel: () => Promise.resolve(scriptedModel(['Hi'])),
      secrets: () => [],
      takeCell: () => Promise.resolve(cell),
      onEvent(event) {
        if (event.type === 'run-start') turns = 0;
        events.push(event);
        if (event.type === 'run-end') resolve();
      },
      onProblem: () => {},
      onConsole: () => {},
      onDefinition: () => {},
    });
  });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
  expect(events).toHaveLength(20_002);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, place) => place));
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'error' });
});
