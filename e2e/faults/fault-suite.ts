import { createRun, definePrompt, inProcess, viaRoute, type Executor } from '@cueline/core';
import { proxied } from '@cueline/core/models';
import { createModelProxy, createPromptRoute } from '@cueline/edge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { connectionFaults } from './connection-faults.ts';
import type { Fault, Outcome } from './fault.ts';
import { startFaultServer, type FaultServer, type StepName, type WireName } from './provider.ts';
import { key, statusFaults } from './status-faults.ts';
import { streamFaults } from './stream-faults.ts';
import { toolFaults } from './tool-faults.ts';

const faults = [...connectionFaults, ...statusFaults, ...streamFaults, ...toolFaults];

/** A run's time limits for a silent provider and for any other fault, in milliseconds. */
const SILENCE_MS = 1_000;
const PATIENCE_MS = 10_000;

/** Where a run happens: in this process, in this process with its model behind a proxy, or behind a route. */
type Path = 'in process' | 'by proxy' | 'by route';

/** A run whose provider has a fault in one step, and the observations after its end. */
async function play(server: FaultServer, path: Path, wire: WireName, step: StepName, fault: Fault) {
  const provider = server.provider(wire, step, fault.play);
  const written: string[] = [];
  const definition = definePrompt('write-line', (prompt) => {
    prompt.defTool('write', 'Writes a line.', z.object({ line: z.string() }), ({ line }) => {
      written.push(line);
      return fault.tool === undefined ? 'written' : fault.tool();
    });
    prompt.$`Write a line.`;
  });
  const env = {
    UP_API_BASE: provider.baseURL,
    UP_API_KEY: key,
    UP_API_TYPE: wire === 'chat' ? 'openai' : 'openai-responses',
  };
  const isSilent = (phase: string): boolean => fault.details?.phase === phase;
  const timeout = {
    firstChunkMs: isSilent('first_chunk') ? SILENCE_MS : PATIENCE_MS,
    chunkMs: isSilent('chunk') ? SILENCE_MS : PATIENCE_MS,
    toolMs: SILENCE_MS,
  };
  const options = { timeout };
  const route = createPromptRoute(definition, {
    model: 'up:m',
    models: { env },
    options,
    origins: ['https://page.test'],
    auth: async () => ({ subject: 'ada' }),
  });
  const proxy = createModelProxy({
    providers: { [proxyNames[wire]]: { baseURL: provider.baseURL, apiKey: key, models: ['m'] } },
    limits: { dailyTokens: Infinity },
    origins: ['https://page.test'],
    auth: async () => ({ subject: 'ada' }),
    timeouts: {
      ttfbMs: isSilent('first_chunk') ? SILENCE_MS : PATIENCE_MS,
      idleMs: isSilent('chunk') ? SILENCE_MS : PATIENCE_MS,
    },
  });
  const throughProxy = proxied('https://page.test/api/models', {
    fetch: (input, init) => proxy(new Request(input, init)),
  });
  const proxyEnv = {
    UP_API_BASE: 'https://page.test/api/models/up',
    UP_API_KEY: 'none',
    UP_API_TYPE: 'openai',
  };
  const executors: Record<Path, () => Executor> = {
    'in process': () => inProcess({ env }),
    'by proxy': () => inProcess({ ...throughProxy, env: { ...throughProxy.env, ...proxyEnv } }),
    'by route': () => viaRoute('https://page.test/api/write-line', { fetch: (request) => route(request) }),
  };
  // by route, model and options are the server's
  const own = {
    'in process': { model: 'up:m', options },
    'by proxy': { model: `${proxyNames[wire]}:m`, options },
    'by route': {},
  }[path];
  const run = createRun(definition, { executor: executors[path](), ...own });
  await run.start().catch(() => {});
  const state = run.getState();
  const ends = run.log().filter(({ type }) => type === 'run-end');
  return {
    ends: state.status === 'error' ? state.error.code : state.status,
    details: state.error?.details ?? {},
    attempts: provider.attempts(step),
    retries: run.log().filter(({ type }) => type === 'retry').length,
    written: written.length,
    endings: ends.length,
    hasKey: JSON.stringify([run.log(), state]).includes(key),
    message: state.error?.message,
  };
}

/** A proxy's provider for each format: one for Chat Completions, and OpenAI's own. */
const proxyNames: Record<WireName, string> = { chat: 'up', responses: 'openai' };

type Case = { wire: WireName; step: StepName; name: string; fault: Fault };

const cases: Case[] = (['chat', 'responses'] as const).flatMap((wire) =>
  (['call', 'answer'] as const).flatMap((step) =>
    faults
      .filter(({ only = {} }) => (only.wire ?? wire) === wire && (only.step ?? step) === step)
      .map((fault) => ({ wire, step, name: fault.name, fault })),
  ),
);

/**
 * Defines the tests of the faults whose number `isChosen` accepts: each fault in both formats and steps, on each
 * path.
 */
export function testFaults(isChosen: (index: number, path: Path, fault: Fault) => boolean): void {
  let server: FaultServer;
  beforeAll(async () => {
    server = await startFaultServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describe.for([
    ['in process', cases],
    ['by proxy', cases],
    ['by route', cases],
  ] as const)('a run %s', ([path, all]) => {
    const chosen = all.filter(({ fault }, index) => isChosen(index, path, fault));
    const compare = async ({
      wire,
      step,
      fault,
    }: Case): Promise<{ seen: object; wanted: object; message: string | undefined }> => {
      const { message, ...seen } = await play(server, path, wire, step, fault);
      const onPath = { 'in process': {}, 'by proxy': fault.byProxy, 'by route': fault.byRoute };
      const outcome: Outcome = { ...fault, ...onPath[path] };
      const { ends, details = {}, attempts = 1 } = outcome;
      const wanted = {
        ends,
        details: expect.objectContaining(details),
        attempts,
        retries: attempts - 1,
        // the tool of the first step runs once that step is whole, and never twice
        written: outcome.written ?? (ends === 'done' || step === 'answer' ? 1 : 0),
        endings: 1,
        hasKey: false,
      };
      return { seen, wanted, message };
    };
    const title = '$wire, step $step: a provider that $name';
    const [heavy, light] = [true, false].map((isHeavy) =>
      chosen.filter(({ fault }) => (fault.heavy ?? false) === isHeavy),
    );
    test.concurrent.for(light!)(title, { timeout: 60_000 }, async (one) => {
      const { seen, wanted, message } = await compare(one);
      expect(seen, message).toEqual(wanted);
    });
    test.for(heavy!)(title, { timeout: 120_000 }, async (one) => {
      const { seen, wanted, message } = await compare(one);
      expect(seen, message).toEqual(wanted);
    });
  });

  test('the table has at least 80 faults, each with its own name', () => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
    expect(faults.length).toBeGreaterThanOrEqual(80);
  });
}
