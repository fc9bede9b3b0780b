import { createRun, definePrompt, inProcess, type Run, type RunEvent } from '@cueline/core';
import { afterEach, describe, expect, inject, test } from 'vitest';
import * as z from 'zod';

const key = 'sk-fault-0123456789abcdef';

/** An address of another machine, because a page does not retry a server on its own machine. */
const elsewhere = 'https://provider.test/v1';

type Step = 'call' | 'answer';

/** A run in this page whose provider is at `baseURL`, under an address of another machine. */
async function play(baseURL: string, step: Step, details: Record<string, unknown> = {}) {
  const attempts = { call: 0, answer: 0 };
  let written = 0;
  const fetch: typeof globalThis.fetch = (input, init) => {
    const isAnswer = typeof init?.body === 'string' && init.body.includes('"role":"tool"');
    attempts[isAnswer ? 'answer' : 'call'] += 1;
    const { href } = new URL(input instanceof Request ? input.url : input);
    return globalThis.fetch(href.replace(elsewhere, baseURL), init);
  };
  const definition = definePrompt('write-line', (prompt) => {
    prompt.defTool('write', 'Writes a line.', z.object({ line: z.string() }), () => {
      written += 1;
      return 'written';
    });
    prompt.$`Write a line.`;
  });
  const timeout = {
    firstChunkMs: details['phase'] === 'first_chunk' ? 1_000 : 15_000,
    chunkMs: details['phase'] === 'chunk' ? 1_000 : 15_000,
  };
  const env = { UP_API_BASE: elsewhere, UP_API_KEY: key, UP_API_TYPE: 'openai' };
  const run = createRun(definition, {
    model: 'up:m',
    executor: inProcess({ env, fetch }),
    options: { timeout },
  });
  await run.start().catch(() => {});
  const state = run.getState();
  const log: readonly RunEvent[] = run.log();
  return {
    message: state.error?.message,
    seen: {
      ends: state.status === 'error' ? state.error.code : state.status,
      details: state.error?.details ?? {},
      attempts: attempts[step],
      written,
      endings: log.filter(({ type }) => type === 'run-end').length,
      hasKey: JSON.stringify([log, state]).includes(key),
    },
  };
}

describe('a provider, as a page in Chromium meets it,', () => {
  const chosen = inject('pageFaults').filter((_fault, index) => index % inject('everyFault') === 0);
  test.concurrent.for(chosen)('$name', { timeout: 60_000 }, async (fault) => {
    const { step, baseURL, ends, attempts = 1, details = {} } = fault;
    const { seen, message } = await play(baseURL, step, details);
    expect(seen, message).toEqual({
      ends,
      attempts,
      details: expect.objectContaining(details),
      written: ends === 'done' || step === 'answer' ? 1 : 0,
      endings: 1,
      hasKey: false,
    });
  });

  test('that does not allow the page is a network error that names CORS', { timeout: 60_000 }, async () => {
    const { seen, message } = await play(inject('withoutCors'), 'call');
    expect(seen).toMatchObject({ ends: 'network', attempts: 3, endings: 1 });
    expect(message).toContain('CORS');
  });

  test('that refuses the connection is a network error', { timeout: 60_000 }, async () => {
    const { seen } = await play(inject('refused'), 'call');
    expect(seen).toMatchObject({ ends: 'network', attempts: 3, endings: 1 });
  });
});

describe('a page without a network', () => {
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'onLine');
  });

  function goOffline(): void {
    Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
  }

  /**
   * A run whose provider cannot be reached, and its report of each wait: the number of the next try, and whether it
   * waits for a network.
   */
  function open(onRetry: (run: Run, waits: number) => void) {
    const waits: [attempt: number | undefined, offline: boolean | undefined][] = [];
    const env = { UP_API_BASE: elsewhere, UP_API_KEY: key, UP_API_TYPE: 'openai' };
    const fetch = (): Promise<Response> => globalThis.fetch(inject('refused'));
    const hello = definePrompt('hello', (prompt) => prompt.$`Hello.`);
    const run: Run = createRun(hello, { model: 'up:m', executor: inProcess({ env, fetch }) });
    run.listen((event) => {
      if (event.type !== 'retry') return;
      waits.push([event.attempt, event.offline]);
      onRetry(run, waits.length);
    });
    return { run, waits };
  }

  test('waits for a network, and counts no tries until then', { timeout: 30_000 }, async () => {
    goOffline();
    const { run, waits } = open(() => {
      Reflect.deleteProperty(navigator, 'onLine');
      globalThis.dispatchEvent(new Event('online'));
    });
    await expect(run.start()).rejects.toMatchObject({ code: 'network' });
    expect(waits).toEqual([
      [1, true],
      [2, false],
      [3, false],
    ]);
  });

  test('is stopped while it waits', async () => {
    goOffline();
    const { run, waits } = open((started) => started.stop());
    await expect(run.start()).rejects.toMatchObject({ code: 'aborted' });
    expect(waits).toEqual([[1, true]]);
    expect(run.getState()).toMatchObject({ status: 'stopped' });
  });
});
