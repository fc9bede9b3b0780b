import { createRun, definePrompt, type PromptDefinition, type RunEvent, type RunState } from '@cueline/core';
import { continuableSteps, editLog, logBefore } from '@cueline/core/replay';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, json } from '../support.ts';
import { expectWhole, sent } from '../support/retried-runs.ts';
import { ran } from '../support/runs.ts';

/** A boss whose helper digs, and what has been dug. */
function open(turns: readonly ScriptedTurn[]) {
  const dug: string[] = [];
  const boss = definePrompt('boss', (prompt) => {
    prompt.defAgent('helper', 'Helps', z.object({ topic: z.string() }), ({ topic }, agent) => {
      agent.defSystem('role', 'You dig.');
      agent.defTool('dig', 'Digs', z.object({ where: z.string() }), ({ where }) => {
        dug.push(where);
        return `sand of ${where}`;
      });
      agent.$`About ${topic}.`;
    });
    prompt.defTool('note', 'Notes', z.object({ text: z.string() }), ({ text }) => {
      dug.push(`note ${text}`);
      return 'noted';
    });
    prompt.$`Ask the helper.`;
  });
  const model = scriptedModel(turns);
  return { boss, model, dug, run: createRun(boss, { model }) };
}

/** The same after the run has ended, with nothing dug since. */
async function ranDigging(turns: readonly ScriptedTurn[]) {
  const opened = open(turns);
  await opened.run.start();
  opened.dug.length = 0;
  return opened;
}

const dig = (where: string, says = ''): ScriptedTurn => [
  ...(says === '' ? [] : [says]),
  call('dig', { where }, `dig-${where}`),
];

const digging: ScriptedTurn[] = [
  [call('helper', { topic: 'gold' }, 'ask')],
  dig('hill', 'First the hill.'),
  dig('river'),
  'Sand everywhere.',
  'The helper found sand.',
];

/** Continues a cut log in a run of its own. */
async function runOn(boss: PromptDefinition, log: readonly RunEvent[], turns: readonly ScriptedTurn[]) {
  const model = scriptedModel(turns);
  const fork = createRun(boss, { model, log });
  const answer = await fork.retry();
  await expectWhole(fork);
  return { fork, model, answer };
}

describe("a fork at an agent's step", () => {
  test('asks the model for what follows only, with the same messages as before', async () => {
    const { boss, model, dug, run } = await ranDigging(digging);
    const log = run.log();
    const original = json(log);
    expect(continuableSteps(log, 'ask')).toEqual([0, 1, 2]);
    const forked = await runOn(boss, logBefore(log, 2, 'ask'), [
      'Gold everywhere.',
      'The helper found gold.',
    ]);
    expect(forked.answer).toBe('The helper found gold.');
    expect(dug).toEqual([]);
    expect(forked.model.calls).toHaveLength(2);
    expect(sent(forked.model, 0)).toEqual(sent(model, 3));
    expect(forked.fork.getState().agents).toMatchObject([
      {
        path: 'ask',
        status: 'done',
        text: 'Gold everywhere.',
        steps: [{ step: 0 }, { step: 1 }, { step: 2 }],
      },
    ]);
    expect(forked.fork.getState().toolCalls).toMatchObject([
      { state: 'output-available', output: 'Gold everywhere.' },
    ]);
    expect(forked.fork.getState().usage.totalTokens).toBe(run.getState().usage.totalTokens);
    expect(json(log)).toEqual(original);
  });

  test('makes the calls of the steps that follow', async () => {
    const { boss, model, dug, run } = await ranDigging(digging);
    const turns: ScriptedTurn[] = [dig('cave'), 'A cave.', 'The helper found a cave.'];
    const forked = await runOn(boss, logBefore(run.log(), 1, 'ask'), turns);
    expect(dug).toEqual(['cave']);
    expect(sent(forked.model, 0)).toEqual(sent(model, 2));
    expect(JSON.stringify(sent(forked.model, 1))).toContain('sand of hill');
    expect(JSON.stringify(sent(forked.model, 1))).toContain('sand of cave');
  });

  test('begins the agent anew at its first step, and not the run', async () => {
    const { boss, model, dug, run } = await ranDigging(digging);
    const forked = await runOn(boss, logBefore(run.log(), 0, 'ask'), ['Nothing.', 'It found nothing.']);
    expect(forked.answer).toBe('It found nothing.');
    expect(dug).toEqual([]);
    expect(sent(forked.model, 0)).toEqual(sent(model, 1));
  });

  test('can be forked again', async () => {
    const { boss, run } = await ranDigging(digging);
    const turns: ScriptedTurn[] = [dig('cave'), 'A cave.', 'The helper found a cave.'];
    const { fork } = await runOn(boss, logBefore(run.log(), 1, 'ask'), turns);
    expect(continuableSteps(fork.log(), 'ask')).toEqual([0, 1, 2]);
    const again = await runOn(boss, logBefore(fork.log(), 2, 'ask'), ['A bat.', 'The helper found a bat.']);
    expect(again.answer).toBe('The helper found a bat.');
    expect(JSON.stringify(sent(again.model, 0))).toContain('sand of cave');
    const edited = editLog(again.fork.log(), { step: 0, toolCallId: 'ask', output: 'A dragon.' });
    const later = createRun(boss, { model: scriptedModel(['Run!']), log: edited });
    expect(await later.retry({ from: 1 })).toBe('Run!');
    await expectWhole(later);
    expect(later.getState().toolCalls).toMatchObject([{ output: 'A dragon.', edited: true }]);
  });

  test('keeps the other calls of the same step, and those of the steps before', async () => {
    const { boss, dug, run } = await ranDigging([
      [call('note', { text: 'early' }, 'n1')],
      [
        call('helper', { topic: 'gold' }, 'ask-gold'),
        call('helper', { topic: 'silver' }, 'ask-silver'),
        call('note', { text: 'late' }, 'n2'),
      ],
      dig('hill'),
      dig('lake'),
      'Found one thing.',
      'Found another.',
      'All done.',
    ]);
    const before = run.getState();
    const forked = await runOn(boss, logBefore(run.log(), 1, 'ask-gold'), ['Gold!', 'Rich.']);
    expect(forked.answer).toBe('Rich.');
    expect(dug).toEqual([]);
    const after = forked.fork.getState();
    const of = (state: typeof after, id: string) => state.toolCalls.find((one) => one.toolCallId === id);
    expect(of(after, 'n1')).toEqual(of(before, 'n1'));
    expect(of(after, 'n2')).toEqual(of(before, 'n2'));
    expect(of(after, 'ask-silver')).toEqual(of(before, 'ask-silver'));
    expect(of(after, 'ask-gold')).toMatchObject({ output: 'Gold!' });
  });

  test('is refused for a step after which the agent does not continue', async () => {
    const { run } = await ranDigging(digging);
    expect(() => logBefore(run.log(), 3, 'ask')).toThrow(
      'The agent ask cannot continue from step 3. It can from 0',
    );
    expect(continuableSteps(run.log(), 'nobody')).toEqual([]);
    expect(() => logBefore(run.log(), 0, 'nobody')).toThrow('cannot continue from step 0');
  });

  test('fails the call if the prompt has no such agent any more', async () => {
    const { run, model } = await ranDigging(digging);
    const other = definePrompt('boss', (prompt) => {
      prompt.defTool('helper', 'Is no agent now', z.object({}), () => 'made by a tool');
      prompt.$`Ask the helper.`;
    });
    const forked = await runOn(other, logBefore(run.log(), 1, 'ask'), ['Without it.']);
    expect(forked.answer).toBe('Without it.');
    expect(JSON.stringify(sent(forked.model, 0))).toContain('This call was interrupted before its end.');
    expect(forked.fork.getState().toolCalls).toMatchObject([{ state: 'output-error' }]);
    expect(forked.fork.getState().agents).toMatchObject([{ status: 'stopped' }]);
    expect(model.calls).toHaveLength(5);
  });
});

describe('an agent of an agent', () => {
  function openNested(turns: readonly ScriptedTurn[]) {
    const dug: string[] = [];
    const boss = definePrompt('boss', (prompt) => {
      prompt.defAgent('manager', 'Manages', z.object({}), (_args, manager) => {
        manager.defAgent('worker', 'Works', z.object({}), (_none, worker) => {
          worker.defTool('dig', 'Digs', z.object({ where: z.string() }), ({ where }) => {
            dug.push(where);
            return `sand of ${where}`;
          });
          worker.$`Dig.`;
        });
        manager.$`Let the worker dig.`;
      });
      prompt.$`Ask the manager.`;
    });
    const model = scriptedModel(turns);
    return { boss, model, dug, run: createRun(boss, { model }) };
  }
  const nested: ScriptedTurn[] = [
    [call('manager', {}, 'm')],
    [call('worker', {}, 'w')],
    dig('hill'),
    'Sand.',
    [call('worker', {}, 'w2')],
    'More sand.',
    'The worker has sand.',
    'Sand it is.',
  ];

  test('continues, then the agent above it, then the run', async () => {
    const { boss, model, dug, run } = openNested(nested);
    await run.start();
    const log = run.log();
    expect(continuableSteps(log, 'm/w')).toEqual([0, 1]);
    dug.length = 0;
    const turns: ScriptedTurn[] = ['Gold.', 'The worker has gold.', 'Gold it is.'];
    const forked = await runOn(boss, logBefore(log, 1, 'm/w'), turns);
    expect(forked.answer).toBe('Gold it is.');
    expect(dug).toEqual([]);
    expect(sent(forked.model, 0)).toEqual(sent(model, 3));
    expect(JSON.stringify(sent(forked.model, 1))).toContain('Gold.');
    expect(forked.fork.getState().agents.map(({ path, status, text }) => [path, status, text])).toEqual([
      ['m', 'done', 'The worker has gold.'],
      ['m/w', 'done', 'Gold.'],
    ]);
  });

  test('stays as it is if the agent above it continues at a later step', async () => {
    const { boss, model, run } = openNested(nested);
    await run.start();
    const before = run.getState();
    const forked = await runOn(boss, logBefore(run.log(), 1, 'm'), ['Enough.', 'Sand it was.']);
    expect(forked.answer).toBe('Sand it was.');
    expect(sent(forked.model, 0)).toEqual(sent(model, 4));
    expect(forked.fork.getState().agents.map(({ path }) => path)).toEqual(['m', 'm/w']);
    expect(forked.fork.getState().agents[1]).toEqual(before.agents[1]);
  });
});

test('an agent with tasks and an answer of its own schema continues with both', async () => {
  const boss = definePrompt('boss', (prompt) => {
    prompt.defAgent(
      'helper',
      'Helps',
      z.object({}),
      (_args, agent) => {
        agent.defTool('wash', 'Washes', z.object({}), () => 'clean');
        agent.defTaskList([{ task: 'Wash up' }, { task: 'Sweep' }]);
        agent.$`Do the chores.`;
      },
      { responseSchema: z.object({ rooms: z.number() }) },
    );
    prompt.$`Ask the helper.`;
  });
  const finish = (id: string): ScriptedTurn => [call('finishTask', { result: 'ok' }, id)];
  const rooms = (count: number): ScriptedTurn => [JSON.stringify({ rooms: count })];
  const { run, model } = await ran(boss, [
    [call('helper', {}, 'ask')],
    [call('wash', {}, 'w')],
    finish('f1'),
    finish('f2'),
    rooms(2),
    'Two rooms.',
  ]);
  expect(run.getState().agents[0]?.output).toEqual({ rooms: 2 });
  const tasksOf = ({ agents }: Pick<RunState, 'agents'>) => agents[0]?.tasks.map(({ status }) => status);
  const log = logBefore(run.log(), 2, 'ask');
  expect(tasksOf(createRun(boss, { model, log }).getState())).toEqual(['completed', 'pending']);
  const turns: ScriptedTurn[] = [finish('g2'), 'Not JSON.', rooms(3), 'Three rooms.'];
  const forked = await runOn(boss, log, turns);
  expect(forked.answer).toBe('Three rooms.');
  expect(sent(forked.model, 0)).toEqual(sent(model, 3));
  expect(tasksOf(forked.fork.getState())).toEqual(['completed', 'completed']);
  expect(forked.fork.getState().agents[0]?.output).toEqual({ rooms: 3 });
});

describe("an edit of an agent's step", () => {
  test('replaces the result of its call, and only what follows runs again', async () => {
    const { boss, model, dug, run } = await ranDigging(digging);
    const edit = { agent: 'ask', step: 0, toolCallId: 'dig-hill', output: 'a nugget' };
    const forked = await runOn(boss, editLog(run.log(), edit), ['Gold!', 'The helper found gold.']);
    expect(forked.answer).toBe('The helper found gold.');
    expect(dug).toEqual([]);
    const answered = JSON.stringify(sent(forked.model, 0));
    expect(answered.replaceAll('a nugget', '…')).toBe(
      JSON.stringify(sent(model, 2)).replaceAll('sand of hill', '…'),
    );
    expect(forked.fork.getState().agents[0]?.toolCalls).toMatchObject([{ edited: true, output: 'a nugget' }]);
  });

  test('replaces what the agent has said', async () => {
    const { boss, run } = await ranDigging(digging);
    const log = editLog(run.log(), { agent: 'ask', step: 0, text: 'First the valley.' });
    const forked = await runOn(boss, log, ['Done.', 'It is done.']);
    expect(JSON.stringify(sent(forked.model, 0))).toContain('First the valley.');
    expect(JSON.stringify(sent(forked.model, 0))).not.toContain('First the hill.');
  });

  test('is refused for its last answer, which is the result of a call', async () => {
    const { run } = await ranDigging(digging);
    expect(() => editLog(run.log(), { agent: 'ask', step: 2, text: 'Gold.' })).toThrow(
      'Edit the result of the call that it answers.',
    );
  });
});

test('an agent that a tool calls in its function cannot be continued', async () => {
  const definition = definePrompt('boss', (prompt) => {
    prompt.defTool('look', 'Looks', z.object({}), () => 'seen');
    prompt.$`Look.`;
  });
  const { run } = await ran(definition, [[call('look', {}, 'l')], 'Done.']);
  const log = run.log();
  const at = log.findIndex(({ type }) => type === 'tool-start') + 1;
  const inside: RunEvent = {
    seq: 0,
    t: log[at]!.t,
    type: 'agent-start',
    agent: 'l',
    toolCallId: 'l',
    name: 'spy',
    model: 'm:m',
    input: {},
    messages: [],
    messageId: 'msg-1',
  };
  expect(continuableSteps(log.toSpliced(at, 0, inside), 'l')).toEqual([]);
  expect(continuableSteps(log.toSpliced(at, 0, { ...inside, name: 'look' }), 'l')).toEqual([0]);
});

test('an agent whose call repeats the id of a kept call has a path of its own', async () => {
  const { boss, run } = await ranDigging(digging);
  const turns: ScriptedTurn[] = [[call('helper', { topic: 'silver' }, 'ask')], 'Silver.', 'It found silver.'];
  const fork = createRun(boss, { model: scriptedModel(turns), log: logBefore(run.log(), 1) });
  await fork.retry({ from: 1 });
  expect(fork.getState().agents).toMatchObject([
    { path: 'ask', text: 'Sand everywhere.' },
    { path: 'ask~2', text: 'Silver.' },
  ]);
  expect(continuableSteps(fork.log(), 'ask~2')).toEqual([0]);
});
