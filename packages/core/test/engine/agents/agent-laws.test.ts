// Runs with agents in agents, approvals and errors: whatever happens, and whenever it is stopped, a run ends once.
import {
  reduceAll,
  runPrompt,
  tool,
  type RunHandle,
  type Prompt,
  type PromptConfig,
  type RunEvent,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, json, play, throwing } from '../../support.ts';
import { failOnUnhandledRejections } from '../../support/agent-trees.ts';
import { after } from '../../support/runs.ts';
import { sample } from '../../support/sample.ts';

failOnUnhandledRejections();

const numbered = z.object({ n: z.number() });

/** A prompt that can call agents that are like itself. */
function nested(prompt: Prompt): void {
  prompt.defAgent('helper', '', numbered, (_args, own) => nested(own));
  prompt.defAgent('planner', '', numbered, (_args, own) => nested(own), {
    responseSchema: z.object({ ok: z.boolean() }),
  });
  prompt.defAgent('hasty', '', numbered, (_args, own) => nested(own), { timeoutMs: 15 });
  prompt.defTool('quick', '', numbered, ({ n }) => n);
  prompt.defTool('slow', '', numbered, ({ n }) => new Promise((resolve) => setTimeout(resolve, n * 4, n)));
  prompt.defTool('deaf', '', numbered, () => new Promise(() => {}), { timeoutMs: 10 });
  prompt.defTool('fail', '', numbered, ({ n }) => {
    throw new Error(`no ${n}`);
  });
  prompt.defTool('pay', '', numbered, ({ n }) => n, { needsApproval: ({ n }) => n > 1 });
  prompt.defTool('count', '', numbered, async function* ({ n }) {
    for (let step = 0; step < n; step += 1) yield step;
  });
  prompt.defTool('kit', '', [
    tool('echo', '', numbered, ({ n }) => n),
    tool('break', '', numbered, throwing(new Error('broken'))),
  ]);
  prompt.$`Go.`;
}

const names = [
  'helper',
  'helper',
  'planner',
  'planner',
  'hasty',
  'quick',
  'slow',
  'deaf',
  'fail',
  'pay',
  'count',
  'nowhere',
];
const toolCall = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...names), fc.nat(3)).map(([name, n]) => call(name, { n })),
  },
  fc.constant(
    call('kit', {
      calls: [{ name: 'echo', args: { n: 1 } }, { name: 'break', args: { n: 1 } }, { name: 'x' }],
    }),
  ),
  fc.constant(call('quick', {})),
);
const turn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('Done.', '{"ok":true}') },
  { weight: 14, arbitrary: fc.array(toolCall, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant([{ text: 'Half' }, { error: { message: 'overheated' } }]) },
  { weight: 1, arbitrary: fc.constant([{ throw: { message: 'no', status: 400 } }]) },
);

/** What is still going on in a log that has ended, by what each event opens and closes. */
function leftOpen(events: readonly RunEvent[]): string[] {
  const open = new Set<string>();
  for (const event of events) {
    const { agent = '' } = event;
    if (event.type === 'agent-start') open.add(`agent ${agent}`);
    if (event.type === 'agent-end') open.delete(`agent ${agent}`);
  }
  return [...open];
}

test(
  'agents at any depth end with their run, which is stopped at any time',
  { timeout: 60_000 },
  async () => {
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 2, maxLength: 16, size: 'max' }),
        fc.option(fc.nat(120), { nil: undefined }),
        fc.constantFrom('approve', 'refuse', 'leave'),
        fc.boolean(),
        async (turns, stopAt, answer, bySignal) => {
          const model = scriptedModel([...turns, ...Array<string>(80).fill('{"ok":true}')]);
          const controller = new AbortController();
          const { run, result } = await runPrompt(nested, {
            model,
            options: { abortSignal: controller.signal, limits: { depth: 3, toolCalls: 60 } },
          });
          const stop = (live: RunHandle): void => (bySignal ? controller.abort() : live.stop());
          run.listen((event) => {
            if (event.seq === stopAt) stop(run);
            if (event.type !== 'approval-request') return;
            if (answer === 'leave') setTimeout(() => stop(run), 2);
            else void run.respondToApproval(event.approvalId, { approved: answer === 'approve' });
          });
          const state = await run.finished;
          const { length } = run.log();
          await Promise.allSettled([result.text, result.usage, result.steps, result.toolResults]);
          await after(20);

          const events = run.log();
          expect(events).toHaveLength(length);
          expect(events.filter(({ type }) => type === 'run-end')).toEqual([events.at(-1)]);
          expect(json(reduceAll(json(events)))).toEqual(json(state));
          // unless the run was cut off, each agent has an end, and none is still running
          if (state.status === 'done') expect(leftOpen(events)).toEqual([]);
          expect(state.agents.filter(({ status }) => status === 'running' || status === 'waiting')).toEqual(
            [],
          );
          const going = new Set(['input-streaming', 'input-available', 'running']);
          const calls = [state, ...state.agents].flatMap(({ toolCalls }) => toolCalls);
          expect(calls.filter((call) => going.has(call.state))).toEqual([]);
          expect(
            calls.flatMap(({ subCalls = [] }) => subCalls).filter((call) => going.has(call.state)),
          ).toEqual([]);
        },
      ),
      { numRuns: sample(60) },
    );
  },
);

const never = (): Promise<never> => new Promise(() => {});
const work = z.object({ result: z.string() });
test.each<[string, (prompt: Prompt) => void, PromptConfig['options']]>([
  ['a hook', (prompt) => prompt.defHook(never), {}],
  [
    'an agent’s hook',
    (prompt) =>
      prompt.defAgent('work', '', work, (_args, own) => {
        own.defHook(never);
        own.$`Go.`;
      }),
    {},
  ],
  ['an agent’s function', (prompt) => prompt.defAgent('work', '', work, never), {}],
  ['extend', (prompt) => void prompt.defTaskList([{ task: 'One', extend: never }]), {}],
  ['a validation', (prompt) => void prompt.defTaskList([{ task: 'One', validation: never }]), {}],
  ['needsApproval', (prompt) => prompt.defTool('work', '', work, () => 1, { needsApproval: never }), {}],
  ['beforeCall', (prompt) => prompt.defTool('work', '', work, () => 1, { beforeCall: never }), {}],
  ['prepareStep', () => {}, { prepareStep: never }],
  ['a callback', () => {}, { onStepEnd: never }],
  ['a callback of each part', () => {}, { onChunk: never }],
  ['a provider', (prompt) => prompt.defHook(() => ({ model: 'slow:x' })), {}],
])('%s that never returns does not delay the end of a stopped run', async (_what, define, options) => {
  const both = [call('work', { result: 'a' }), call('finishTask', { result: 'a' })];
  const { run, result } = await runPrompt(
    go((prompt) => define(prompt)),
    { model: scriptedModel([both, both, 'Never.', 'Never.']), options, providers: { slow: never } },
  );
  setTimeout(() => run.stop(), 20);
  const settled = Promise.allSettled([result.text, result.usage, result.steps, result.finishReason]);
  expect((await run.finished).status).toBe('stopped');
  expect((await settled).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
});

test('a time limit of the whole run ends its agents too', async () => {
  const { result, state } = await play(
    go((prompt) =>
      prompt.defAgent('helper', '', z.object({}), (_args, own) => {
        own.defTool('wait', '', z.object({}), never);
        own.$`Wait.`;
      }),
    ),
    [[call('helper', {})], [call('wait', {})], 'Never.', 'Never.'],
    { options: { timeout: { totalMs: 50 } } },
  );

  expect(state).toMatchObject({
    status: 'error',
    error: { code: 'timeout' },
    agents: [{ status: 'stopped' }],
  });
  await expect(Promise.resolve(result.text)).rejects.toMatchObject({ code: 'timeout' });
});
