import {
  createRun,
  definePrompt,
  inProcess,
  viaRoute,
  type Executor,
  type Run,
  type RunEvent,
} from '@cueline/core';
import { createPromptRoute } from '@cueline/edge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { first } from './fault.ts';
import { good, head, startFaultServer, type FaultServer, type Play, type WireName } from './provider.ts';
import { key } from './status-faults.ts';

/** A moment at which a run is stopped: the provider's behavior until then, and how the test recognizes the moment. */
type Phase = {
  name: string;
  play: Play;
  /** Resolves at that moment. `requested` resolves with the first request of the provider. */
  moment: (given: { run: Run; requested: Promise<void>; running: Promise<void> }) => Promise<unknown>;
  /** How often the tool was started. */
  written?: number;
};

const event =
  (isIt: (event: RunEvent) => boolean): Phase['moment'] =>
  ({ run }) =>
    new Promise<void>((resolve) => {
      run.listen((said) => {
        if (isIt(said)) resolve();
      });
    });

const hang: Play = () => {};
const busy: Play = ({ response }) => {
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '20' });
  response.end(JSON.stringify({ error: { message: 'Busy.' } }));
};

const phases: Phase[] = [
  { name: 'before it connects', play: hang, moment: async () => {} },
  { name: 'while it waits for headers', play: hang, moment: ({ requested }) => requested },
  {
    name: 'while it waits for the first part',
    play: ({ response }) => void head(response),
    moment: ({ requested }) => requested.then(() => new Promise((resolve) => setTimeout(resolve, 30))),
  },
  {
    name: 'inside the text',
    play: ({ response, answer }) => void head(response).write(answer.start + (answer.text[0] ?? '')),
    moment: event(({ type }) => type === 'text-delta'),
  },
  {
    name: 'inside the arguments of a call',
    play: ({ response, answer }) =>
      void head(response).write(answer.start + answer.call.slice(0, 2).join('')),
    moment: event(({ type }) => type === 'tool-input-delta'),
  },
  { name: 'while a tool runs', play: good, moment: ({ running }) => running, written: 1 },
  {
    name: 'while it waits to try again',
    play: first(1, busy),
    moment: event(({ type }) => type === 'retry'),
  },
];

describe.for(['in process', 'by route'] as const)('a run %s that is stopped', (path) => {
  let server: FaultServer;
  beforeAll(async () => {
    server = await startFaultServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const wires: WireName[] = ['chat', 'responses'];
  const cases = wires.flatMap((wire) => phases.map((phase) => ({ wire, ...phase })));
  test.for(cases)(
    '$name ($wire) ends as stopped at once, and closes its connection to the provider',
    async (phase) => {
      const requested = Promise.withResolvers<void>();
      const running = Promise.withResolvers<void>();
      const provider = server.provider(phase.wire, 'call', (exchange) => {
        requested.resolve();
        return phase.play(exchange);
      });
      const signals: (AbortSignal | undefined)[] = [];
      const definition = definePrompt('write-line', (prompt) => {
        prompt.defTool(
          'write',
          'Writes a line.',
          z.object({ line: z.string() }),
          (_args, { abortSignal }) => {
            signals.push(abortSignal);
            running.resolve();
            // ignores its signal
            return new Promise(() => {});
          },
        );
        prompt.$`Write a line.`;
      });
      const env = {
        UP_API_BASE: provider.baseURL,
        UP_API_KEY: key,
        UP_API_TYPE: phase.wire === 'chat' ? 'openai' : 'openai-responses',
      };
      const run = createRun(definition, executorFor(path, definition, env));
      const result = run.start();
      await phase.moment({ run, requested: requested.promise, running: running.promise });
      run.stop();
      await expect(result).rejects.toMatchObject({ code: 'aborted' });
      const log = run.log();
      expect(log.filter(({ type }) => type === 'run-end')).toEqual([
        expect.objectContaining({ outcome: 'stopped' }),
      ]);
      expect(run.getState()).toMatchObject({ status: 'stopped' });
      expect(run.getState().error).toBeUndefined();
      // the provider's connection is closed, and no request is repeated
      await expect.poll(() => provider.open()).toBe(0);
      expect(provider.attempts('call')).toBeLessThanOrEqual(1);
      expect(provider.attempts('answer')).toBe(0);
      expect(signals.map((signal) => signal?.aborted)).toEqual(phase.written === 1 ? [true] : []);
    },
  );
});

test('a start whose signal has aborted rejects as aborted, and sends nothing', async () => {
  await using server = await startFaultServer();
  const provider = server.provider('chat', 'call', good);
  const definition = definePrompt('hello', (prompt) => prompt.$`Hello.`);
  const env = { UP_API_BASE: provider.baseURL, UP_API_KEY: key, UP_API_TYPE: 'openai' };
  const run = createRun(definition, { model: 'up:m', executor: inProcess({ env }) });
  await expect(run.start(undefined, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'aborted',
  });
  const stopped = createRun(definition, {
    model: 'up:m',
    executor: inProcess({ env }),
    options: { abortSignal: AbortSignal.abort() },
  });
  await expect(stopped.start()).rejects.toMatchObject({ code: 'aborted' });
  expect(provider.attempts('call')).toBe(0);
});

function executorFor(
  path: 'in process' | 'by route',
  definition: Parameters<typeof createPromptRoute>[0],
  env: Record<string, string>,
): { executor: Executor; model?: string } {
  if (path === 'in process') return { model: 'up:m', executor: inProcess({ env }) };
  const route = createPromptRoute(definition, {
    model: 'up:m',
    models: { env },
    origins: ['https://page.test'],
    auth: async () => ({ subject: 'ada' }),
  });
  const fetch = (request: Request): Promise<Response> => route(request);
  return { executor: viaRoute('https://page.test/api/write-line', { fetch }) };
}
