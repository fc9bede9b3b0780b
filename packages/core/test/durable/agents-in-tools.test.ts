// Tools whose functions call agents: the log of such a call is that of an agent of the prompt.
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { definePrompt, tool, type PromptDefinition, type RunEvent } from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import { advance, type Advanced, type DurableCommand } from '@cueline/core/durable';
import type { ScriptedTurn } from '@cueline/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { calls } from '../support.ts';
import { helperTurns, withHelper, type Definition } from '../support/durable-prompts.ts';
import {
  approval,
  createStore,
  planned,
  stateOf,
  work,
  workerFor,
  workToEnd,
  type RunStore,
} from '../support/durable-runs.ts';
import { after } from '../support/runs.ts';

/** The turns of an agent, by a word of its instructions; `Go.` stands for the run itself. */
const turnsBy =
  (turns: Record<string, readonly ScriptedTurn[]>) =>
  ({ prompt }: LanguageModelV4CallOptions): readonly ScriptedTurn[] => {
    const [first] = prompt;
    const of = Object.keys(turns).find((word) => JSON.stringify(first).includes(word));
    return turns[of ?? ''] ?? [];
  };

const finderTurns = turnsBy({
  'Go.': [calls(['finder']), 'Over.'],
  'Find it.': ['Found.'],
});

/** A prompt whose tool writes something before it calls an agent of the same name. */
function toolOfThatName(done: string[]): Definition {
  const finder = defineAgent({ name: 'finder', instructions: 'Find it.' });
  return definePrompt('parent', (prompt) => {
    prompt.$`Go.`;
    prompt.defTool('finder', 'Finds', z.object({}), async (_args, context) => {
      done.push('begins');
      return (await finder.call('Where?', { context })).output;
    });
  });
}

/** A prompt with an agent of its own. */
function ownAgent(done: string[]): Definition {
  return definePrompt('parent', (prompt) => {
    prompt.$`Go.`;
    prompt.defAgent('finder', 'Finds', z.object({}), (_args, inner) => {
      done.push('begins');
      inner.$`Find it.`;
    });
  });
}

/** Loses the worker of a run after each of its events that happens during the agent's first model call. */
async function loseDuringAgent(make: (done: string[]) => Definition) {
  const whole = createStore();
  await workToEnd(workerFor(make([]), finderTurns, { store: whole }));
  const ofAgent = (isIt: (event: RunEvent) => boolean): number =>
    whole.events.findIndex((event) => event.agent !== undefined && isIt(event));
  const first = ofAgent(({ type }) => type === 'agent-start');
  const last = ofAgent(({ type }) => type === 'step-end');
  expect(last).toBeGreaterThan(first);
  const lost: { done: string[]; store: RunStore }[] = [];
  for (let length = first + 1; length <= last; length += 1) {
    const done: string[] = [];
    const store = createStore();
    store.events = whole.events.slice(0, length);
    await workToEnd(workerFor(make(done), finderTurns, { store }));
    expect(stateOf(store), `lost after ${length} events`).toMatchObject({ status: 'done', result: 'Over.' });
    lost.push({ done, store });
  }
  return lost;
}

test('a tool that has the name of the agent that it calls is not run a second time if the worker is lost', async () => {
  for (const { done, store } of await loseDuringAgent(toolOfThatName)) {
    expect(done).toEqual([]);
    expect(stateOf(store).toolCalls).toMatchObject([
      { toolName: 'finder', state: 'output-error', errorText: expect.stringContaining('interrupted') },
    ]);
  }
});

test('an agent of a prompt continues if the worker is lost during its first model call', async () => {
  for (const { done, store } of await loseDuringAgent(ownAgent)) {
    // its function runs again, as that of the prompt
    expect(done).toEqual(['begins']);
    expect(stateOf(store).toolCalls).toMatchObject([
      { toolName: 'finder', state: 'output-available', output: 'Found.' },
    ]);
    expect(stateOf(store).agents).toMatchObject([{ status: 'done', text: 'Found.' }]);
  }
});

test('a tool that only reads is run again, whatever its name', async () => {
  let begins = 0;
  const finder = defineAgent({ name: 'finder', instructions: 'Find it.' });
  const make = (): Definition =>
    definePrompt('parent', (prompt) => {
      prompt.$`Go.`;
      prompt.defTool(
        'finder',
        'Finds',
        z.object({}),
        async (_args, context) => {
          begins += 1;
          return (await finder.call('Where?', { context })).output;
        },
        { effect: 'read' },
      );
    });
  for (const { store } of await loseDuringAgent(make)) {
    expect(stateOf(store).toolCalls).toMatchObject([{ state: 'output-available', output: 'Found.' }]);
  }
  expect(begins).toBeGreaterThan(2);
});

/** A run whose tool asks two agents at once: one works until it is let go on, and the other asks for an approval. */
function askBoth(done: string[]) {
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  onTestFinished(finish);
  const slow = tool('slow', 'Works', z.object({}), async () => {
    done.push('slow begins');
    await finished;
    done.push('slow ends');
    return 'worked';
  });
  const send = tool('send', 'Sends', z.object({}), () => void done.push('send'), { needsApproval: true });
  const worker = defineAgent({ name: 'worker', instructions: 'You work.', tools: [slow] });
  const sender = defineAgent({ name: 'sender', instructions: 'You send.', tools: [send] });
  const definition: PromptDefinition<void> = definePrompt('parent', (prompt) => {
    prompt.$`Go.`;
    prompt.defTool(
      'ask',
      'Asks both',
      z.object({ first: z.string() }),
      async ({ first }, context) => {
        const agents = first === 'worker' ? [worker, sender] : [sender, worker];
        const both = await Promise.all(agents.map((agent) => agent.call('Please.', { context })));
        return both.map(({ output }) => output);
      },
      // so that another worker may make it again
      { effect: 'read' },
    );
  });
  return { definition, finish };
}

const bothTurns = (first: string) =>
  turnsBy({
    'Go.': [calls(['ask', { first }]), 'Over.'],
    'You work.': [calls(['slow']), 'Worked.'],
    'You send.': [calls(['send']), 'Sent.'],
  });

test.each(['worker', 'sender'])(
  'a run waits only once the one agent of a tool has finished its work and the other asks, with the %s called first',
  async (first) => {
    const done: string[] = [];
    const { definition, finish } = askBoth(done);
    const events: RunEvent[] = [];
    let outcome: Advanced | undefined;
    const advanced = advance(
      { runId: 'run-1', definition, input: undefined, model: planned(bothTurns(first)), events: [] },
      { append: async (batch) => void events.push(...batch) },
    ).then((reached) => (outcome = reached));
    await expect.poll(() => events.some(({ type }) => type === 'approval-request')).toBe(true);
    await expect.poll(() => done).toEqual(['slow begins']);
    await after(50);
    // the agent at work is not left
    expect(outcome).toBeUndefined();
    finish();
    expect(await advanced).toMatchObject({ status: 'waiting', approvalIds: [expect.any(String)] });
    expect(done).toEqual(['slow begins', 'slow ends']);
    const { agents } = stateOf({ ...createStore(), events });
    expect(Object.fromEntries(agents.map(({ name, status }) => [name, status]))).toEqual({
      sender: 'running',
      worker: 'done',
    });
    // the tool only reads, so its function runs again: the one agent keeps its answer, and the other continues
    const [approvalId] = outcome?.status === 'waiting' ? outcome.approvalIds : [];
    const store = { ...createStore(), events };
    await workToEnd(workerFor(definition, bothTurns(first), { store }), [approval(approvalId ?? '')]);
    expect(done).toEqual(['slow begins', 'slow ends', 'send']);
    expect(stateOf(store)).toMatchObject({ status: 'done', result: 'Over.' });
  },
);

test('an approval during the work of the other agent starts its call at once', async () => {
  const done: string[] = [];
  const { definition, finish } = askBoth(done);
  const events: RunEvent[] = [];
  let give: ((command: DurableCommand) => Promise<boolean>) | undefined;
  const advanced = advance(
    { runId: 'run-1', definition, input: undefined, model: planned(bothTurns('worker')), events: [] },
    { append: async (batch) => void events.push(...batch), during: (given) => (give = given) },
  );
  const request = (): RunEvent | undefined => events.find(({ type }) => type === 'approval-request');
  await expect.poll(request).toBeDefined();
  await expect.poll(() => done).toEqual(['slow begins']);
  await after(20);
  const asked = request();
  const approvalId = asked?.type === 'approval-request' ? asked.approvalId : '';
  expect(await give?.(approval(approvalId))).toBe(true);
  await expect.poll(() => done).toEqual(['slow begins', 'send']);
  finish();
  expect(await advanced).toEqual({ status: 'next' });
  expect(stateOf({ ...createStore(), events }).toolCalls).toMatchObject([{ state: 'output-available' }]);
});

test('a run whose agents both ask waits for both', async () => {
  const done: string[] = [];
  const send = tool('send', 'Sends', z.object({}), () => void done.push('send'), { needsApproval: true });
  const definition = definePrompt('parent', (prompt) => {
    prompt.$`Go.`;
    prompt.defTool('ask', 'Asks both', z.object({}), async (_args, context) => {
      const agents = ['one', 'two'].map((name) =>
        defineAgent({ name, instructions: 'You send.', tools: [send] }),
      );
      return Promise.all(agents.map(async (agent) => (await agent.call('Please.', { context })).output));
    });
  });
  const turns = turnsBy({
    'Go.': [calls(['ask']), 'Over.'],
    'You send.': [calls(['send']), 'Sent.'],
  });
  const waiting = await work(workerFor(definition, turns));
  if (waiting.status !== 'waiting') throw new Error(waiting.status);
  expect(waiting.approvalIds).toHaveLength(2);
  expect(done).toEqual([]);
});

test('an agent continues after each of many processes that end in its call', async () => {
  const helper = withHelper((inner) => {
    inner.defTool('look', 'Looks', z.object({}), () => 'seen', { effect: 'read', repeatable: true });
  });
  const worker = workerFor(
    helper,
    helperTurns([...Array<ScriptedTurn>(6).fill(calls(['look'])), 'All seen.']),
  );
  const { store } = worker;
  const startsOfHelper = (): number =>
    store.events.filter((event) => event.type === 'tool-start' && event.agent === undefined).length;
  // each process stores a few events more than the one before it
  for (store.failsAt = 6; startsOfHelper() < 8; store.failsAt += 3) await work(worker);
  store.failsAt = Infinity;
  await workToEnd(worker);
  expect(stateOf(store)).toMatchObject({
    result: 'Helped.',
    toolCalls: [{ toolName: 'helper', output: 'All seen.' }],
  });
});
