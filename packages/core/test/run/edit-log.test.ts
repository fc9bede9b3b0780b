import { createRun, definePrompt, reduceAll, type RunEvent } from '@cueline/core';
import { isRunEvent } from '@cueline/core/link';
import { continuableSteps, editLog, logBefore, type LogEdit } from '@cueline/core/replay';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, json, throwing } from '../support.ts';
import { thrownCode } from '../support/refusal.ts';
import { expectWhole, look, open, sent } from '../support/retried-runs.ts';
import { ran } from '../support/runs.ts';

/** Two calls in one step, one more in the next, and an answer. */
const trip: ScriptedTurn[] = [
  [
    'Let me look.',
    call('look', { what: 'left' }, 'look-left'),
    call('look', { what: 'right' }, 'look-right'),
  ],
  look('up', 'And up.'),
  'Nothing there.',
];

async function finished(turns: readonly ScriptedTurn[], more: readonly ScriptedTurn[] = []) {
  const opened = open([...turns, ...more]);
  await opened.run.start();
  return { ...opened, log: opened.run.log() };
}

/** A run of an edited log, which has not gone on. */
function runOf({ run, model }: ReturnType<typeof open>, log: readonly RunEvent[], edit: LogEdit) {
  return createRun(run.definition, { model, log: editLog(log, edit) });
}

function at(log: readonly RunEvent[], type: RunEvent['type'], nth = 0): number {
  return log.filter((event) => event.type === type)[nth]!.seq;
}

describe('the result of a tool call', () => {
  test('is replaced, and only what follows runs again', async () => {
    const opened = await finished(trip, ['A door!']);
    const { log, model, looked } = opened;
    const before = json(log);
    const edit = { step: 0, toolCallId: 'look-right', output: { door: 'green' } };
    const fork = runOf(opened, log, edit);
    expect(await fork.retry({ from: 1 })).toBe('A door!');
    expect(looked).toEqual(['left', 'right', 'up']);
    expect(model.calls).toHaveLength(4);
    expect(JSON.stringify(sent(model, 3))).toContain('green');
    const changed = at(log, 'tool-end', 1);
    const kept = at(log, 'step-end') + 1;
    const expected = log.slice(0, kept).map((event) => {
      if (event.seq !== changed) return event;
      return { ...event, output: edit.output, edited: true };
    });
    expect(json(fork.log().slice(0, kept))).toEqual(json(expected));
    // the same as before, but for the one result
    const answered = (request: unknown) => JSON.stringify(request).replaceAll('{"door":"green"}', '…');
    const original = JSON.stringify(sent(model, 1)).replaceAll('{"what":"right","found":true}', '…');
    expect(answered(sent(model, 3))).toBe(original);
    expect(fork.getState().toolCalls.map(({ edited }) => edited)).toEqual([undefined, true]);
    expect(json(log)).toEqual(before);
    await expectWhole(fork);
  });

  test('can become an error, and an error can become a result', async () => {
    const failing = definePrompt('failing', (prompt) => {
      prompt.defTool('fail', 'Fails', z.object({}), throwing(new Error('No power.')));
      prompt.$`Try.`;
    });
    const { run, model } = await ran(failing, [
      [call('fail', {}, 'one')],
      'It failed.',
      'It works.',
      'It burns.',
    ]);
    const works = editLog(run.log(), { step: 0, toolCallId: 'one', output: 'light' });
    const lit = createRun(failing, { model, log: works });
    expect(lit.getState().toolCalls[0]).toMatchObject({
      state: 'output-available',
      output: 'light',
      edited: true,
    });
    expect(lit.getState().toolCalls[0]).not.toHaveProperty('errorText');
    expect(await lit.retry({ from: 1 })).toBe('It works.');
    const burns = editLog(lit.log(), { step: 0, toolCallId: 'one', error: 'It burns down.' });
    const burning = createRun(failing, { model, log: burns });
    expect(await burning.retry({ from: 1 })).toBe('It burns.');
    expect(JSON.stringify(sent(model, 3))).toContain('It burns down.');
    expect(JSON.stringify(sent(model, 3))).not.toContain('light');
    await expectWhole(burning);
  });

  test('is replaced only in the named step if the model reuses the id later', async () => {
    const opened = await finished([look('left'), look('left'), 'Done.'], ['Otherwise.']);
    const { log } = opened;
    const fork = runOf(opened, log, { step: 1, toolCallId: 'look-left', output: 'edited' });
    await fork.retry({ from: 2 });
    const outputs = fork.getState().toolCalls.map(({ output }) => output);
    expect(outputs).toEqual([{ what: 'left', found: true }, 'edited']);
  });

  test('of an agent is replaced; the events of the agent stay', async () => {
    const prompt = definePrompt('boss', (prompt) => {
      prompt.defAgent('helper', 'Helps', z.object({}), (_args, agent) => {
        agent.defTool('dig', 'Digs', z.object({}), () => 'sand');
        agent.$`Help.`;
      });
      prompt.$`Ask the helper.`;
    });
    const { run, model } = await ran(prompt, [
      [call('helper', {}, 'ask')],
      [call('dig', {}, 'spade')],
      'Sand.',
      'It found sand.',
      'It found gold.',
    ]);
    const log = editLog(run.log(), { step: 0, toolCallId: 'ask', output: 'Gold.' });
    const fork = createRun(prompt, { model, log });
    expect(await fork.retry({ from: 1 })).toBe('It found gold.');
    expect(model.calls).toHaveLength(5);
    expect(fork.getState().agents).toEqual(run.getState().agents);
    await expectWhole(fork);
    const inner = { step: 0, toolCallId: 'spade', output: 'gold' };
    expect(() => editLog(run.log(), inner)).toThrow('It has "ask".');
  });

  test('keeps the tasks as they were at the end of the step', async () => {
    const prompt = definePrompt('chores', (prompt) => {
      prompt.defTool('wash', 'Washes', z.object({}), () => 'clean');
      prompt.defTaskList([{ task: 'Wash up' }, { task: 'Sweep' }]);
      prompt.$`Do the chores.`;
    });
    const finish = (id: string): ScriptedTurn => [call('finishTask', { result: 'ok' }, id)];
    const { run, model } = await ran(prompt, [
      [call('wash', {}, 'w')],
      finish('f1'),
      finish('f2'),
      'Done.',
      finish('g2'),
      'Done otherwise.',
    ]);
    const statuses = (log: readonly RunEvent[]) => reduceAll(log).tasks.map(({ status }) => status);
    expect(statuses(run.log())).toEqual(['completed', 'completed']);
    const log = editLog(run.log(), { step: 1, toolCallId: 'f1', output: 'Well done.' });
    expect(statuses(log)).toEqual(['completed', 'pending']);
    const fork = createRun(prompt, { model, log });
    expect(await fork.retry({ from: 2 })).toBe('Done otherwise.');
    expect(statuses(fork.log())).toEqual(['completed', 'completed']);
    await expectWhole(fork);
  });
});

describe('the text of an answer', () => {
  test('is replaced as a whole between two steps, and only what follows runs again', async () => {
    const opened = await finished(trip, ['Stars.']);
    const { log, model, looked } = opened;
    const fork = runOf(opened, log, { step: 1, text: 'I look at the sky.' });
    expect(await fork.retry({ from: 2 })).toBe('Stars.');
    expect(looked).toEqual(['left', 'right', 'up']);
    expect(JSON.stringify(sent(model, 3))).toContain('I look at the sky.');
    expect(JSON.stringify(sent(model, 3))).not.toContain('And up.');
    const start = at(log, 'step-start', 1);
    expect(json(fork.log().slice(0, start))).toEqual(json(log.slice(0, start)));
    expect(fork.getState().steps.map(({ edited }) => edited)).toEqual([undefined, true, undefined]);
    await expectWhole(fork);
  });

  test('of the last step is the result, and the conversation continues from it', async () => {
    const opened = await finished(trip, ['Since you say so.']);
    const fork = runOf(opened, opened.log, { step: 2, text: 'There is a dragon.' });
    expect(fork.getState()).toMatchObject({ status: 'done', result: 'There is a dragon.' });
    await expectWhole(fork);
    expect(await fork.send('Really?')).toBe('Since you say so.');
    expect(JSON.stringify(sent(opened.model, 3))).toContain('dragon');
    expect(JSON.stringify(sent(opened.model, 3))).not.toContain('Nothing there.');
  });

  test('of a prompt with an output schema is JSON', async () => {
    const prompt = definePrompt('count', (prompt) => prompt.$`Count.`, {
      output: z.object({ count: z.number() }),
    });
    const { run } = await ran(prompt, ['{"count":3}']);
    const edited = editLog(run.log(), { step: 0, text: '{"count":4}' });
    expect(reduceAll(edited)).toMatchObject({ status: 'done', result: { count: 4 }, object: { count: 4 } });
    expect(() => editLog(run.log(), { step: 0, text: 'four' })).toThrow('Write JSON.');
  });

  test('is replaced in a retried answer without its void attempt', async () => {
    const { log } = await finished(['One.']);
    const start = at(log, 'text-start');
    const end = at(log, 'text-end');
    const error = { code: 'provider_error', message: 'Broke off.' } as const;
    const tried = [
      ...log.slice(0, end),
      { seq: 0, t: log[end]!.t, type: 'retry', error } as const,
      ...log.slice(start),
    ].map((event, seq): RunEvent => ({ ...event, seq }));
    const edited = editLog(tried, { step: 0, text: 'Two.' });
    expect(reduceAll(edited)).toMatchObject({ status: 'done', result: 'Two.', steps: [{ edited: true }] });
    expect(edited.slice(0, end)).toEqual(tried.slice(0, end));
  });
});

test('an edited log has no provider metadata for edited parts', async () => {
  const { log } = await finished(['One.']);
  const marked = log.map((event) =>
    event.type === 'text-start' || event.type === 'text-end'
      ? { ...event, providerMetadata: { openai: { itemId: 'msg_1' } } }
      : event,
  );
  expect(JSON.stringify(editLog(marked, { step: 0, text: 'Two.' }))).not.toContain('msg_1');
});

test.each<[string, LogEdit, RegExp]>([
  ['a step that does not exist', { step: 7, text: 'x' }, /Step 7 cannot be edited/],
  [
    'a call that does not exist',
    { step: 0, toolCallId: 'look-up', output: 1 },
    /It has "look-left", "look-right"/,
  ],
  [
    'a misspelt name',
    { step: 0, toolCallId: 'look-left', ouput: 1 } as never,
    /The edit has no "ouput"\. Did you mean output\?/,
  ],
  ['a call without text beside it', { step: 2, toolCallId: 'look-up', output: 1 }, /It has none/],
])('%s is refused', async (_what, edit, message) => {
  const { log } = await finished(trip);
  expect(() => editLog(log, edit)).toThrow(message);
  expect(thrownCode(() => editLog(log, edit))).toBe('invalid_options');
});

test('a refused call has no result to edit', async () => {
  const prompt = definePrompt('send', (prompt) => {
    prompt.defTool('send', 'Sends', z.object({}), () => 'sent', { needsApproval: true });
    prompt.$`Send.`;
  });
  const run = createRun(prompt, { model: scriptedModel([[call('send', {}, 'mail')], 'Not sent.']) });
  run.subscribe(({ approvals }) => {
    const open = approvals.find(({ response }) => response === undefined);
    if (open !== undefined) void run.respondToApproval(open.approvalId, { approved: false });
  });
  await run.start();
  expect(() => editLog(run.log(), { step: 0, toolCallId: 'mail', output: 1 })).toThrow('was refused');
});

test('the steps from which a run can continue are the steps that retry accepts', async () => {
  const { run, log } = await finished(trip, ['Again.', 'Again.', 'Again.']);
  expect(continuableSteps(log)).toEqual([0, 1, 2]);
  expect(continuableSteps(log.slice(0, at(log, 'step-end', 1)))).toEqual([0, 1]);
  expect(continuableSteps([])).toEqual([0]);
  const fork = run.fork(at(log, 'step-end', 1));
  await expect(fork.retry({ from: 3 })).rejects.toThrow('It can from 0, 1, 2');
});

test('a call of a void attempt does not make its step incomplete', async () => {
  const { run, log } = await finished(trip);
  const end = at(log, 'tool-input-end');
  const error = { code: 'provider_error', message: 'Broke off.' } as const;
  const attempt = log
    .slice(0, end + 1)
    .map((event): RunEvent => ('toolCallId' in event ? { ...event, toolCallId: 'void' } : event));
  const tried = [
    ...attempt,
    { seq: 0, t: log[end]!.t, type: 'retry', error } as const,
    ...log.slice(at(log, 'step-start') + 1),
  ].map((event, seq): RunEvent => ({ ...event, seq }));
  expect(continuableSteps(tried)).toEqual(continuableSteps(log));
  const again = createRun(run.definition, { log: tried, model: scriptedModel(['Again.']) });
  expect(await again.retry({ from: 1 })).toBe('Again.');
});

describe('a step after feedback to the model', () => {
  const counting = definePrompt('count', (prompt) => {
    prompt.defTaskList([{ task: 'Count to three' }]);
    prompt.$`Work through the tasks.`;
  });
  const finish: ScriptedTurn = [call('finishTask', { result: '1 2 3' }, 'finish')];
  /**
   * What a request says, whatever the order: a run that continues sends the window of its tasks behind what it keeps.
   */
  const textsIn = (model: ReturnType<typeof scriptedModel>, at: number): string[] =>
    model.calls[at]!.prompt.map(({ content }) => JSON.stringify(content)).toSorted();
  const nudged = /The task list is not complete/;

  test('can run again: the model reads its answer and the feedback', async () => {
    const { run, model } = await ran(counting, ['One.', 'Two.', finish, 'Done.', finish, 'Done again.']);
    expect(continuableSteps(run.log())).toEqual([0, 1, 2, 3]);
    for (const log of [run.log(), logBefore(run.log(), 2)]) {
      const again = scriptedModel([finish, 'Done again.']);
      const fork = createRun(counting, { model: again, log });
      expect(await fork.retry({ from: 2 })).toBe('Done again.');
      expect(textsIn(again, 0)).toEqual(textsIn(model, 2));
      expect(JSON.stringify(sent(again, 0))).toMatch(nudged);
      const { steps } = fork.getState();
      expect(steps.map(({ step, steered }) => [step, steered?.[0]?.cause])).toEqual([
        [0, undefined],
        [1, 'tasks'],
        [2, 'tasks'],
        [3, undefined],
      ]);
      await expectWhole(fork);
    }
  });

  test('is where a run that failed later continues', async () => {
    const model = scriptedModel(['One.', [{ throw: 'The line is dead.' }], finish, 'Done.']);
    const run = createRun(counting, { model });
    await expect(run.start()).rejects.toThrow('dead');
    expect(await run.retry()).toBe('Done.');
    expect(textsIn(model, 2)).toEqual(textsIn(model, 1));
    expect(run.getState().steps).toHaveLength(3);
  });

  test('keeps the feedback if the answer before it is edited', async () => {
    const { run, model } = await ran(counting, ['One.', finish, 'Done.', finish, 'Done again.']);
    const edited = createRun(counting, { model, log: editLog(run.log(), { step: 0, text: 'Two.' }) });
    expect(await edited.retry({ from: 1 })).toBe('Done again.');
    expect(JSON.stringify(sent(model, 3))).toContain('Two.');
    expect(JSON.stringify(sent(model, 3))).not.toContain('One.');
    expect(JSON.stringify(sent(model, 3))).toMatch(nudged);
  });

  test('refuses to edit the answer that the feedback is about', async () => {
    const output = z.object({ count: z.int() });
    const prompt = definePrompt('json', (own) => own.$`Count.`, { output });
    const { run, model } = await ran(prompt, ['{"count":"many"}', '{"count":3}', '{"count":4}']);
    expect(continuableSteps(run.log())).toEqual([0, 1]);
    expect(() => editLog(run.log(), { step: 0, text: '{"count":5}' })).toThrow('told next what is wrong');
    const fork = createRun(prompt, { model, log: logBefore(run.log(), 1) });
    expect(await fork.retry({ from: 1 })).toEqual({ count: 4 });
    expect(sent(model, 2)).toEqual(sent(model, 1));
  });
});

test('the log before a step ends there, and a step from which no run can continue has none', async () => {
  const { run, log } = await finished(trip);
  const before = logBefore(log, 1);
  expect(before.slice(0, -1)).toEqual(log.slice(0, at(log, 'step-end') + 1));
  expect(before.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
  expect(logBefore(log, 0).map(({ type }) => type)).toEqual(['run-start', 'run-end']);
  expect(logBefore([], 0)).toEqual([]);
  expect(() => logBefore(log, 3)).toThrow('cannot continue from step 3');
  expect(run.log()).toBe(log);
});

test('an edited mark must be true', () => {
  const end = { type: 'tool-end', seq: 0, t: 0, toolCallId: 'a', output: 1 };
  expect(isRunEvent({ ...end, edited: true })).toBe(true);
  expect(isRunEvent({ ...end, edited: { not: 'a mark' } })).toBe(false);
});
