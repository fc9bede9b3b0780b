import { definePrompt, dryRun } from '@cueline/core';
import { defineAgent, defineSession } from '@cueline/core/agents';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { checkScript as checkOnHost } from '../../src/sandbox/host/check-script.ts';
import { readReport, readIssues, readPreview } from '../../src/sandbox/host/read-check.ts';
import type { WorkerFrame, WorkerEnd } from '../../src/sandbox/host/worker-frame.ts';
import { defaultLimits } from '../../src/sandbox/limits.ts';
import { encodeMessage, type ToHost } from '../../src/sandbox/protocol.ts';
import { checkScript, describeScript } from '../../src/sandbox/worker/check-script.ts';
import { noModel } from '../../src/sandbox/worker/no-model.ts';

const plan = definePrompt(
  'plan',
  (prompt, { city }) => {
    prompt.def('CITY', city);
    prompt.$`Go.`;
  },
  { input: z.object({ city: z.string(), days: z.number().default(3) }) },
);

describe('the report of a script', () => {
  test('has the schema of its input, before defaults', async () => {
    const { name, input } = await describeScript(plan as never);
    expect(name).toBe('plan');
    expect(input).toMatchObject({
      kind: 'schema',
      schema: { properties: { city: { type: 'string' }, days: { default: 3 } }, required: ['city'] },
    });
  });

  test.each<[string, unknown, object]>([
    ['a prompt without input', definePrompt('p', () => {}), { kind: 'none' }],
    ['a second parameter', definePrompt('p', (_prompt, _input: unknown) => {}), { kind: 'no-schema' }],
    ['a session', defineSession('s', { systemPrompt: 'You work.' }), { kind: 'none' }],
    [
      'an agent',
      defineAgent({ name: 'a', instructions: 'You answer.' }),
      { kind: 'schema', schema: { type: 'string' } },
    ],
    [
      'JSON Schema',
      definePrompt('p', () => {}, { input: { type: 'number' } }),
      { kind: 'schema', schema: { type: 'number' } },
    ],
    [
      'a schema without JSON Schema',
      definePrompt('p', () => {}, {
        input: { '~standard': { version: 1, vendor: 'x', validate: () => ({ value: 1 }) } } as never,
      }),
      { kind: 'any' },
    ],
  ])('has the kind of input for %s', async (_title, definition, input) => {
    expect((await describeScript(definition as never)).input).toEqual(input);
  });

  test('has the first request, which the page reads', async () => {
    const sent: ToHost[] = [];
    const send = (message: ToHost): void => void sent.push(message);
    await checkScript(plan as never, plan as never, { dryRun: { input: { city: 'Faro' } }, send });
    expect(sent.map(({ type }) => type)).toEqual(['report', 'dry-run']);
    const message = JSON.parse(encodeMessage(sent[1]!)) as { request: unknown; warnings: unknown };
    const { request } = await dryRun(plan, { input: { city: 'Faro' } });
    expect(readPreview(message.request, message.warnings)).toEqual({ request, warnings: [] });
    expect(request.instructions).toContain('Faro');
  });

  test('the model of a check refuses every call', async () => {
    await expect(noModel.doStream({ prompt: [] })).rejects.toThrow('calls no model');
  });
});

describe('the page refuses', () => {
  const request = { model: '', instructions: 'Be brief.', messages: [], tools: [], settings: {} };

  test.each<unknown>([
    undefined,
    'nonsense',
    { ...request, instructions: 1 },
    { ...request, messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    { ...request, messages: undefined },
    { ...request, tools: [{}] },
    { ...request, settings: 'x'.repeat(10) },
    { ...request, instructions: 'x'.repeat(9_000_000) },
  ])('a request that cannot be shown: %#', (value) => {
    expect(readPreview(value, [])).toBeUndefined();
  });

  test('parts that are outside the system prompt or overlap', () => {
    const part = (start: number, end: number) => ({ kind: 'system', name: 'a', start, end });
    const instructionParts = [part(0, 2), part(1, 3), part(3, 900), part(4, 6)];
    const preview = readPreview({ ...request, instructionParts }, ['odd', 4, 'x'.repeat(5_000)]);
    expect(preview?.request.instructionParts).toEqual([part(0, 2), part(4, 6)]);
    expect(preview?.warnings.map((warning) => warning.length)).toEqual([3, 1_000]);
  });

  test('report with an invalid shape, and schemas that are too deep', () => {
    expect(readReport({ name: 'p', input: { kind: 'schema', schema: 'x' } })).toBeUndefined();
    expect(readReport({ name: 4, input: { kind: 'none' } })).toBeUndefined();
    expect(readReport({ name: 'n'.repeat(900), input: { kind: 'none' } })?.name).toHaveLength(200);
    let deep: object = {};
    for (let level = 0; level < 60; level += 1) deep = { items: deep };
    expect(readReport({ name: 'p', input: { kind: 'schema', schema: deep } })?.input).toEqual({
      kind: 'any',
    });
  });

  test('issues with an invalid shape', () => {
    expect(readIssues({ issues: [{ path: 'input.a', message: 'No' }] })).toHaveLength(1);
    expect(readIssues({ issues: [{ path: 3, message: 'No' }] })).toEqual([]);
    expect(readIssues(undefined)).toEqual([]);
  });
});

describe('a check', () => {
  beforeEach(() => void vi.useFakeTimers());

  /** A check of this script, with a worker that the test speaks for. */
  async function start(script = 'export default () => {};') {
    const sent: string[] = [];
    const worker: { closed: number; say: (message: unknown) => void; die: (end: WorkerEnd) => void } = {
      closed: 0,
      say: () => {},
      die: () => {},
    };
    const abort = new AbortController();
    const frame: WorkerFrame = {
      open: (onMessage, onEnd) => {
        worker.say = (message) => onMessage(JSON.stringify(message));
        worker.die = onEnd;
      },
      answers: async () => true,
      send: (text) => void sent.push(text),
      close: () => void (worker.closed += 1),
    };
    const takeFrame = vi.fn(async () => frame);
    const result = checkOnHost({
      script,
      dryRun: { input: { city: 'sk-secret-key-1' } },
      signal: abort.signal,
      limits: defaultLimits,
      secrets: () => ['sk-secret-key-1'],
      takeFrame,
    });
    await vi.advanceTimersByTimeAsync(0);
    return { result, worker, sent, abort, takeFrame };
  }
  const report = { name: 'p', input: { kind: 'none' } };

  test('sends the script without keys, and ends the worker with the answer', async () => {
    const { result, worker, sent } = await start();
    expect(sent[0]).toContain('"type":"check"');
    expect(sent[0]).not.toContain('sk-secret-key-1');
    worker.say({ type: 'ready' });
    worker.say({ type: 'report', report });
    worker.say({ type: 'model-call', call: 1, options: {} });
    expect(worker.closed).toBe(0);
    const issues = [{ path: 'input.city', message: 'No' }];
    worker.say({ type: 'failed', error: { code: 'invalid_input', message: 'No.', details: { issues } } });
    expect(await result).toEqual({ report, problem: { message: 'No.', phase: 'run', issues } });
    expect(worker.closed).toBe(1);
  });

  test('a script that cannot be compiled needs no worker', async () => {
    const { result, takeFrame } = await start("export default () => 'never ends");
    const message = 'Unterminated string constant.';
    expect((await result).problem).toMatchObject({ phase: 'compile', line: 1, message });
    expect(takeFrame).not.toHaveBeenCalled();
  });

  test('a script that never makes its request is ended, and so is one that hangs', async () => {
    const waiting = await start();
    waiting.worker.say({ type: 'ready' });
    waiting.worker.say({ type: 'report', report });
    await vi.advanceTimersByTimeAsync(defaultLimits.preview);
    expect((await waiting.result).problem?.message).toContain('within 5 s');
    expect(waiting.worker.closed).toBe(1);
    const hanging = await start();
    hanging.worker.die({ reason: 'silent' });
    expect((await hanging.result).problem?.message).toContain('blocked its worker');
  });

  test('ends when a newer text aborts it', async () => {
    const { result, worker, abort } = await start();
    abort.abort();
    expect(await result).toEqual({});
    expect(worker.closed).toBe(1);
  });
});
