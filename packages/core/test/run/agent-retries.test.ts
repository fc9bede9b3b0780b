import { createRun, definePrompt, type RunEvent, type RunState } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, json } from '../support.ts';
import { expectWhole, sent } from '../support/retried-runs.ts';
import { codeOf, ran } from '../support/runs.ts';

const where = z.object({ where: z.string() });

/** A boss whose helper looks and digs. `made` has each call of its tools, with the key of the call. */
function open(turns: readonly ScriptedTurn[]) {
  const made: string[] = [];
  const boss = definePrompt('boss', (prompt) => {
    prompt.defAgent('helper', 'Helps', z.object({}), (_args, agent) => {
      agent.defTool('dig', 'Digs', where, (args, { idempotencyKey }) => {
        made.push(`dig ${args.where} ${idempotencyKey}`);
        return `sand of ${args.where}`;
      });
      const look = (args: { where: string }, { idempotencyKey }: { idempotencyKey: string }): string => {
        made.push(`look ${args.where} ${idempotencyKey}`);
        return `view of ${args.where}`;
      };
      agent.defTool('look', 'Looks', where, look, { effect: 'read' });
      agent.defTool('enter', 'Enters', where, look, { effect: 'read', needsApproval: true });
      agent.$`Dig.`;
    });
    prompt.$`Ask the helper.`;
  });
  const model = scriptedModel(turns);
  return { boss, model, made, run: createRun(boss, { model }) };
}

type Opened = ReturnType<typeof open>;

const ask: ScriptedTurn = [call('helper', {}, 'ask')];
const dig = (place: string): ReturnType<typeof call> => call('dig', { where: place }, `dig-${place}`);
const look = (place: string): ReturnType<typeof call> => call('look', { where: place }, `look-${place}`);

/** The log up to the last event for which `ends` is true, as a page leaves it that is closed there. */
function cutAfter(log: readonly RunEvent[], ends: (event: RunEvent) => boolean): readonly RunEvent[] {
  const cut = log.findLastIndex(ends);
  expect(cut).toBeGreaterThan(0);
  return log.slice(0, cut + 1);
}

const ofCall =
  (type: RunEvent['type'], id: string) =>
  (event: RunEvent): boolean =>
    event.type === type && 'toolCallId' in event && event.toolCallId === id;

async function retry({ boss, made }: Opened, log: readonly RunEvent[], turns: readonly ScriptedTurn[]) {
  made.length = 0;
  const model = scriptedModel(turns);
  const run = createRun(boss, { model, log: log.map((event, seq) => ({ ...event, seq })) });
  const answer = await run.retry();
  await expectWhole(run);
  return { run, model, answer, helper: run.getState().agents[0] };
}

const outcomes = ({ toolCalls }: Pick<RunState, 'toolCalls'>): unknown[] =>
  toolCalls.map(({ toolCallId, state }) => [toolCallId, state]);

describe('a retry of a run that broke off while an agent was at work', () => {
  test('continues the agent if it waited for the model', async () => {
    const opened = open([ask, [dig('hill')], 'Sand everywhere.', 'It found sand.']);
    await opened.run.start();
    // in the middle of the answer of the agent's last step
    const log = cutAfter(opened.run.log(), ({ type, agent }) => type === 'text-delta' && agent === 'ask');
    const { answer, helper } = await retry(opened, log, ['Gold!', 'The helper found gold.']);
    expect(answer).toBe('The helper found gold.');
    expect(opened.made).toEqual([]);
    expect(helper?.steps.map(({ step }) => step)).toEqual([0, 1]);
    const parts = helper?.messages.at(-1)?.parts.map(({ type }) => type);
    expect(parts?.filter((type) => type === 'step-start')).toHaveLength(2);
    expect(JSON.stringify(helper?.messages)).not.toContain('Sand everywhere');
  });

  test('keeps the calls of the agent that had ended, and makes again the one that only reads', async () => {
    const opened = open([ask, [dig('hill'), look('lake')], 'Seen.', 'It has seen.']);
    await opened.run.start();
    const before = [...opened.made];
    const whole = cutAfter(opened.run.log(), ({ type, agent }) => type === 'tool-end' && agent === 'ask');
    const log = whole.filter((event) => !ofCall('tool-end', 'look-lake')(event));
    const { answer, model, helper } = await retry(opened, log, ['Seen again.', 'It has seen again.']);
    expect(answer).toBe('It has seen again.');
    expect(opened.made).toEqual(before.filter((text) => text.startsWith('look')));
    expect(sent(model, 0)).toEqual(sent(opened.model, 2));
    expect(model.calls).toHaveLength(2);
    expect(outcomes(helper!)).toEqual([
      ['dig-hill', 'output-available'],
      ['look-lake', 'output-available'],
    ]);
  });

  test('tells the agent of a call that may have taken effect, and does not make it again', async () => {
    const opened = open([ask, [look('lake'), dig('hill')], 'Dug.', 'It has dug.']);
    await opened.run.start();
    const log = cutAfter(opened.run.log(), ofCall('tool-end', 'dig-hill')).slice(0, -1);
    const { answer, model, helper } = await retry(opened, log, ['I look for it.', 'It looks.']);
    expect(answer).toBe('It looks.');
    expect(opened.made).toEqual([]);
    const read = JSON.stringify(sent(model, 0));
    expect(read).toContain('view of lake');
    expect(read).toContain('This call was interrupted before its end. It may have taken effect');
    expect(outcomes(helper!)).toEqual([
      ['look-lake', 'output-available'],
      ['dig-hill', 'output-error'],
    ]);
  });

  test('leaves out a call whose arguments were not whole', async () => {
    const opened = open([ask, ['I look.', look('lake'), dig('hill')], 'Dug.', 'It has dug.']);
    await opened.run.start();
    const whole = opened.run.log();
    const ended = whole.find(ofCall('tool-end', 'look-lake'))!;
    const kept = cutAfter(whole, ofCall('tool-input-end', 'dig-hill')).slice(0, -1);
    // a tool can end while the model still writes the next call
    const log = kept.includes(ended) ? kept : [...kept, ended];
    const { model, helper } = await retry(opened, json(log), ['Only seen.', 'It has seen.']);
    const read = JSON.stringify(sent(model, 0));
    expect(read).toContain('view of lake');
    expect(read).not.toContain('dig-hill');
    expect(helper?.text).toBe('Only seen.');
  });

  test('asks again for the approval of a call of the agent', async () => {
    const opened = open([ask, [look('lake'), call('enter', { where: 'cave' }, 'enter')], 'Dark.']);
    const started = opened.run.start();
    await expect.poll(() => opened.run.getState().status).toBe('waiting');
    await expect.poll(() => opened.run.log().some(ofCall('tool-end', 'look-lake'))).toBe(true);
    const log = json(opened.run.log());
    opened.run.stop();
    await started.catch(() => {});
    const model = scriptedModel(['Dark.', 'It is dark.']);
    const run = createRun(opened.boss, { model, log });
    const answer = run.retry();
    const pending = (): RunState['approvals'] =>
      run
        .getState()
        .approvals.filter(({ response, withdrawn }) => response === undefined && withdrawn !== true);
    await expect.poll(() => pending()).toMatchObject([{ toolName: 'enter', agent: 'ask' }]);
    opened.made.length = 0;
    expect(await run.respondToApproval(pending()[0]!.approvalId, { approved: true })).toMatchObject({
      accepted: true,
    });
    expect(await answer).toBe('It is dark.');
    expect(opened.made).toHaveLength(1);
    await expectWhole(run);
  });

  test('makes a call again with the key that it had, also after a second retry', async () => {
    const opened = open([ask, [dig('hill')], 'Dug.', 'It has dug.']);
    await opened.run.start();
    const first = cutAfter(opened.run.log(), ofCall('tool-end', 'dig-hill'));
    const { run } = await retry(opened, first, [[look('lake')], 'Seen.', 'It has seen.']);
    const before = [...opened.made];
    expect(before).toHaveLength(1);
    const second = cutAfter(run.log(), ofCall('tool-start', 'look-lake'));
    await retry(opened, second, ['Seen again.', 'It has seen again.']);
    expect(opened.made).toEqual(before);
  });

  test('tells the model of a tool that had called an agent itself, and does not make its call again', async () => {
    const opened = open([ask, [dig('hill')], 'Dug.', 'It has dug.']);
    const made: string[] = [];
    const boss = definePrompt('boss', (prompt) => {
      prompt.defTool('publish', 'Publishes', z.object({}), () => void made.push('publish'));
      prompt.$`Publish.`;
    });
    const { run } = await ran(boss, [[call('publish', {}, 'p')], 'Done.']);
    const log = cutAfter(run.log(), ofCall('tool-start', 'p'));
    const { t } = log.at(-1)!;
    const inner = {
      toolCallId: 'p',
      name: 'editor',
      model: 'm:m',
      input: {},
      messages: [],
      messageId: 'msg',
    };
    made.length = 0;
    const started: RunEvent = { seq: log.length, t, type: 'agent-start', agent: 'p', ...inner };
    const { model } = await retry({ ...opened, boss }, [...log, started], ['I look whether it is there.']);
    expect(made).toEqual([]);
    expect(JSON.stringify(sent(model, 0))).toContain('It may have taken effect');
  });

  test('ends an agent whose arguments do not fit any more', async () => {
    const opened = open([ask, [dig('hill')], 'Dug.', 'It has dug.']);
    await opened.run.start();
    const log = cutAfter(opened.run.log(), ofCall('tool-end', 'dig-hill'));
    const boss = definePrompt('boss', (prompt) => {
      prompt.defAgent('helper', 'Helps', z.object({ topic: z.string() }), (_args, agent) => agent.$`Dig.`);
      prompt.$`Ask the helper.`;
    });
    const { model, run, helper } = await retry({ ...opened, boss }, log, ['I ask again.']);
    expect(JSON.stringify(sent(model, 0))).toContain('It may have taken effect');
    expect(helper?.status).toBe('stopped');
    // before the model is asked, and not only with the run
    const ended = run.log().findIndex(({ type, agent }) => type === 'agent-end' && agent === 'ask');
    expect(ended).toBeGreaterThan(0);
    expect(ended).toBeLessThan(run.log().findLastIndex(({ type }) => type === 'step-start'));
  });

  test('makes no call of the agent twice and loses none that had ended, wherever the run broke off', async () => {
    const opened = open([ask, [dig('hill'), dig('lake')], [dig('river')], 'Sand everywhere.', 'Sand.']);
    await opened.run.start();
    const log = opened.run.log();
    for (let cut = 1; cut < log.length; cut += 1) {
      const kept = log.slice(0, cut);
      const ended = kept.flatMap((event) =>
        event.type === 'tool-end' && event.agent === 'ask' ? [event.toolCallId] : [],
      );
      opened.made.length = 0;
      const model = scriptedModel(Array.from({ length: 6 }, (_, at): ScriptedTurn => `Answer ${at}.`));
      const fork = createRun(opened.boss, { model, log: kept });
      expect(await codeOf(fork.retry())).toBeUndefined();
      expect(opened.made, `cut before event ${cut}, after ${ended.length} calls`).toEqual([]);
      const [helper] = fork.getState().agents;
      const done = helper?.toolCalls.filter(({ state }) => state === 'output-available') ?? [];
      expect(done.map(({ toolCallId }) => toolCallId)).toEqual(ended);
      await expectWhole(fork);
    }
  });
});

test('an agent below an agent continues with the calls that it had made, then the one above', async () => {
  const made: string[] = [];
  const boss = definePrompt('boss', (prompt) => {
    prompt.defAgent('manager', 'Manages', z.object({}), (_args, manager) => {
      manager.defTool('note', 'Notes', where, (args) => void made.push(`note ${args.where}`));
      manager.defAgent('worker', 'Works', z.object({}), (_none, worker) => {
        worker.defTool('dig', 'Digs', where, (args) => {
          made.push(args.where);
          return `sand of ${args.where}`;
        });
        worker.$`Dig.`;
      });
      manager.$`Let the worker dig.`;
    });
    prompt.$`Ask the manager.`;
  });
  const turns: ScriptedTurn[] = [
    [call('manager', {}, 'm')],
    [call('note', { where: 'here' }, 'n'), call('worker', {}, 'w')],
    [dig('hill')],
    'Sand.',
    'The worker has sand.',
    'Sand it is.',
  ];
  const { run } = await ran(boss, turns);
  const log = run.log();
  for (let cut = log.findIndex(ofCall('tool-end', 'dig-hill')) + 1; cut < log.length; cut += 1) {
    made.length = 0;
    const kept = log.slice(0, cut);
    const model = scriptedModel(Array.from({ length: 3 }, (): ScriptedTurn => 'Gold.'));
    const again = createRun(boss, { model, log: kept });
    await again.retry();
    expect(made, `cut before event ${cut}`).toEqual([]);
    expect(again.getState().agents.map(({ path, status }) => [path, status])).toEqual([
      ['m', 'done'],
      ['m/w', 'done'],
    ]);
    await expectWhole(again);
  }
});
