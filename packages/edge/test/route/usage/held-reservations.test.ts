import { definePrompt, tool, type Prompt } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createKillSwitch, createMemoryLimits } from '@cueline/edge';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ask, post, testRoute, type TestRoute } from '../routes.ts';

const schema = z.object({});
const calls = (name: string, input: unknown = {}): ScriptedTurn => [{ toolCall: { name, input } }];

/** Work that ignores its signal, and ends when it is released. */
function createStubborn() {
  const open: (() => void)[] = [];
  let begun = 0;
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  return {
    /** Once the run has come to the place where it is to be stopped. */
    arrived,
    begun: () => begun,
    work: Object.assign(
      () =>
        new Promise<string>((resolve) => {
          arrive();
          begun += 1;
          open.push(() => resolve('done'));
        }),
      { arrive },
    ),
    end() {
      for (const letGo of open.splice(0)) letGo();
    },
  };
}

type Work = ReturnType<typeof createStubborn>['work'];
type Define = (prompt: Prompt) => void | Promise<void>;

const callsWork = calls('work');

/** Where a prompt can be at work when its run is stopped. */
const places: Record<string, { define(work: Work): Define; script?: ScriptedTurn[] }> = {
  'a tool': {
    define: (work) => (prompt) => prompt.defTool('work', 'Works', schema, work),
  },
  'a tool that gives results one after the other': {
    define: (work) => (prompt) =>
      prompt.defTool('work', 'Works', schema, async function* () {
        yield 'begun';
        yield await work();
      }),
  },
  'a tool that cleans up': {
    define: (work) => (prompt) =>
      prompt.defTool('work', 'Works', schema, async function* (_args, { abortSignal }) {
        try {
          yield 'begun';
          work.arrive();
          await new Promise((resolve) => abortSignal?.addEventListener('abort', resolve));
        } finally {
          await work();
        }
      }),
  },
  'a tool whose time is over': {
    define: (work) => (prompt) => prompt.defTool('work', 'Works', schema, work, { timeoutMs: 5 }),
    script: [callsWork, [{ text: 'It took too long' }, { delay: 60_000 }]],
  },
  'what a tool does besides': {
    define: (work) => (prompt) =>
      prompt.defTool('work', 'Works', schema, () => 'done', { onSuccess: async () => void (await work()) }),
  },
  'a call inside a call': {
    define: (work) => (prompt) =>
      prompt.defTool('work', 'Works', [tool('inside', 'Works inside', schema, work)]),
    script: [calls('work', { calls: [{ name: 'inside', args: {} }] })],
  },
  'a tool of an agent': {
    define: (work) => (prompt) =>
      prompt.defAgent('helper', 'Helps', schema, (_args, own) => {
        own.defTool('work', 'Works', schema, work);
        own.$`Work.`;
      }),
    script: [calls('helper'), callsWork],
  },
  'the function of an agent': {
    define: (work) => (prompt) =>
      prompt.defAgent('helper', 'Helps', schema, async (_args, own) => {
        await work();
        own.$`Work.`;
      }),
    script: [calls('helper')],
  },
  'what says whether a call needs an approval': {
    define: (work) => (prompt) =>
      prompt.defTool('work', 'Works', schema, () => 'done', {
        needsApproval: async () => (await work()) === 'never',
      }),
  },
  'the prompt function': { define: (work) => async () => void (await work()) },
  'a hook': { define: (work) => (prompt) => prompt.defHook(async () => void (await work())) },
};

/** A route with a prompt in progress, which ends when the test lets it. */
function stubbornRoute({ define, script = [callsWork] }: (typeof places)[string], options = {}) {
  const stubborn = createStubborn();
  const definition = definePrompt('work', async (prompt) => {
    await define(stubborn.work)(prompt);
    prompt.$`Work.`;
  });
  const limits = { concurrent: 1, rpm: 1_000 };
  const hub = testRoute([...script, 'Hi.', 'Hi.', 'Hi.'], { definition, limits, ...options });
  return { hub, stubborn };
}

async function begin({ route }: TestRoute): Promise<{ run: string; end: Promise<string> }> {
  const response = await route(post({}));
  expect(response.status).toBe(200);
  return { run: response.headers.get('x-cueline-run')!, end: response.text() };
}

/** What is answered to a start. */
async function statusOfStart({ route }: TestRoute): Promise<number> {
  const response = await route(post({}));
  await response.body?.cancel();
  return response.status;
}

describe.each(Object.entries(places))('a run that is stopped in %s', (_, place) => {
  test('ends for its client at once, and holds its reservation until that work has ended', async () => {
    const { hub, stubborn } = stubbornRoute(place);
    const { run, end } = await begin(hub);
    await stubborn.arrived;
    expect((await hub.route(ask('DELETE', `?run=${run}`))).status).toBe(204);
    expect(await end).toContain('"outcome":"stopped"');
    for (let tries = 0; tries < 5; tries += 1) expect(await statusOfStart(hub)).toBe(429);
    expect(stubborn.begun()).toBe(1);
    stubborn.end();
    await expect.poll(() => statusOfStart(hub)).toBe(200);
    stubborn.end();
  });
});

const inTool = places['a tool']!;

test('a run that timed out or was ended by the kill switch holds its reservation in the same way', async () => {
  const killSwitch = createKillSwitch();
  for (const [options, endIt] of [
    [{ limits: { concurrent: 1, rpm: 1_000, runMs: 300 } }, () => {}],
    [{ killSwitch }, () => killSwitch.turnOn({ stopRuns: true })],
  ] as const) {
    const { hub, stubborn } = stubbornRoute(inTool, options);
    const { end } = await begin(hub);
    await stubborn.arrived;
    endIt();
    expect(await end).toMatch(/"code":"(timeout|interrupted)"/);
    killSwitch.turnOff();
    expect(await statusOfStart(hub)).toBe(429);
    stubborn.end();
    await expect.poll(() => statusOfStart(hub)).toBe(200);
    stubborn.end();
  }
});

test('endless work holds a reservation no longer than the time limit of a run', async () => {
  const { hub, stubborn } = stubbornRoute(inTool, { limits: { concurrent: 1, rpm: 1_000, runMs: 400 } });
  const { run, end } = await begin(hub);
  await stubborn.arrived;
  await hub.route(ask('DELETE', `?run=${run}`));
  await end;
  expect(await statusOfStart(hub)).toBe(429);
  await expect.poll(() => statusOfStart(hub), { timeout: 5_000 }).toBe(200);
  expect(stubborn.begun()).toBe(1);
});

test('repeated starts and stops run no more tools than the limit of concurrent runs', async () => {
  const { hub, stubborn } = stubbornRoute(
    { ...inTool, script: Array.from({ length: 60 }, () => callsWork) },
    { limits: { concurrent: 3, rpm: 1_000 } },
  );
  let began = 0;
  for (let tries = 0; tries < 60; tries += 1) {
    const response = await hub.route(post({}));
    if (response.status !== 200) continue;
    began += 1;
    await expect.poll(stubborn.begun).toBe(began);
    await hub.route(ask('DELETE', `?run=${response.headers.get('x-cueline-run')}`));
    await response.text();
  }
  expect(stubborn.begun()).toBe(3);
  stubborn.end();
});

test('unused tokens of a run are released while its place is held', async () => {
  const limitStore = createMemoryLimits();
  const { hub, stubborn } = stubbornRoute(inTool, { limitStore, limits: { dailyTokens: 40_000 } });
  const { run, end } = await begin(hub);
  await stubborn.arrived;
  await hub.route(ask('DELETE', `?run=${run}`));
  await end;
  const day = { dailyTokens: 40_000, rpm: 100, concurrent: 100, leaseMs: 1_000 };
  const call = { subject: 'ada', id: 'other', tokens: 39_900, ...day };
  expect(await limitStore.reserve(call)).toMatchObject({ ok: true });
  stubborn.end();
});

test('the memory of a run is counted as long as its tools may refer to it', async () => {
  const limits = { concurrent: 5, rpm: 1_000, memoryBytes: 80_000 };
  const { hub, stubborn } = stubbornRoute(inTool, { limits });
  const metadata = Array.from({ length: 100 }, () => ({}));
  const parts = [{ type: 'text', text: 'Hi' }];
  const heavy = { messages: [{ id: 'm', role: 'user', parts, metadata }], input: undefined, tasks: [] };
  const startHeavy = async (): Promise<number> => {
    const response = await hub.route(post(heavy));
    await response.body?.cancel();
    return response.status;
  };
  const response = await hub.route(post(heavy));
  await stubborn.arrived;
  await hub.route(ask('DELETE', `?run=${response.headers.get('x-cueline-run')}`));
  await response.text();
  expect(await startHeavy()).toBe(429);
  stubborn.end();
  await expect.poll(startHeavy).toBe(200);
});
