import { createRun, definePrompt, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { json } from '../support.ts';
import { look, failure, open, sent, expectWhole } from '../support/retried-runs.ts';
import { codeOf, nextEvent } from '../support/runs.ts';

const endless: ScriptedTurn = [{ text: 'Well' }, { delay: 60_000 }];

describe('retrying a failed run', () => {
  test('continues after its last complete step without repeating calls', async () => {
    const { run, model, looked } = open([
      look('left', 'First left.'),
      look('right'),
      failure,
      'Nothing there.',
    ]);
    const first = run.start();
    expect(await codeOf(first)).toBe('provider_error');
    const before = run.log().slice();
    expect(await run.retry()).toBe('Nothing there.');
    expect(looked).toEqual(['left', 'right']);
    expect(model.calls).toHaveLength(4);
    // to the letter what the step that failed was sent
    expect(sent(model, 3)).toEqual(sent(model, 2));
    expect(JSON.stringify(sent(model, 3))).toContain('"found":true');
    const resumed = run.log().findIndex(({ type }) => type === 'run-resume');
    expect(run.log().slice(0, resumed)).toEqual(before.slice(0, resumed));
    expect(run.log()[resumed - 1]).toMatchObject({ type: 'step-end', step: 1 });
    expect(run.log()[resumed]).toMatchObject({ model: 'simulated:scripted', simulated: true });
    const state = run.getState();
    expect(state).toMatchObject({ status: 'done', result: 'Nothing there.', text: 'Nothing there.' });
    expect(state.runId).toBe((run.log()[resumed] as { runId: string }).runId);
    expect(state.runId).not.toBe((before[0] as { runId: string }).runId);
    expect(state.messages).toHaveLength(2);
    expect(state.toolCalls.map(({ step, state }) => [step, state])).toEqual([
      [0, 'output-available'],
      [1, 'output-available'],
    ]);
    await expectWhole(run);
  });

  test('shows at once that it continues, with its earlier state', async () => {
    const { run } = open([look('left'), failure, 'Nothing.']);
    await codeOf(run.start());
    expect(run.getState()).toMatchObject({ status: 'error' });
    const again = run.retry();
    const { status, messages, steps } = run.getState();
    expect([status, messages.length, steps.length]).toEqual(['running', 2, 1]);
    await nextEvent(run, 'run-resume');
    expect(run.getState()).toMatchObject({ status: 'running', phase: 'requesting' });
    await again;
  });

  test('keeps text and reasoning of earlier steps, and a failed tool call', async () => {
    const calls: string[] = [];
    const prompt = definePrompt('tools', (prompt) => {
      prompt.defTool('broken', 'Fails', z.object({}), () => {
        calls.push('broken');
        throw new Error('No power.');
      });
      prompt.defTool('text', 'Text', z.object({}), () => 'plain text');
      prompt.defTool('nothing', 'Nothing', z.object({}), () => undefined);
      prompt.defTool('list', 'A list', z.object({}), () => [1, 2]);
      prompt.defTool('picture', 'Parts', z.object({}), () => [
        { type: 'text', text: 'a dot' },
        { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' },
      ]);
      prompt.$`Try all.`;
    });
    const call = (name: string, input: unknown = {}) => ({ toolCall: { name, input, id: `call-${name}` } });
    const model = scriptedModel([
      ['Let me try.', call('broken'), call('text'), call('nothing'), call('list'), call('picture')],
      [call('text', '{"a":'), call('missing')],
      failure,
      'Done.',
    ]);
    const run = createRun(prompt, { model });
    await codeOf(run.start());
    expect(await run.retry()).toBe('Done.');
    expect(calls).toEqual(['broken']);
    expect(sent(model, 3)).toEqual(sent(model, 2));
    await expectWhole(run);
  });

  test('begins from the start if no step is complete', async () => {
    const { run, model } = open([failure, 'Hello.']);
    await codeOf(run.start());
    expect(await run.retry()).toBe('Hello.');
    expect(run.log().some(({ type }) => type === 'run-resume')).toBe(false);
    expect(sent(model, 1)).toEqual(sent(model, 0));
    await expectWhole(run);
  });

  test('can be repeated, with complete steps in between', async () => {
    const { run, model, looked } = open([
      look('left'),
      failure,
      look('right'),
      failure,
      failure,
      look('up'),
      'Nothing.',
    ]);
    await codeOf(run.start());
    expect(await codeOf(run.retry())).toBe('provider_error');
    await expectWhole(run);
    expect(await codeOf(run.retry())).toBe('provider_error');
    await expectWhole(run);
    expect(await run.retry()).toBe('Nothing.');
    expect(looked).toEqual(['left', 'right', 'up']);
    expect(model.calls).toHaveLength(7);
    expect(run.log().filter(({ type }) => type === 'run-resume')).toHaveLength(2);
    expect(run.getState().usage.totalTokens).toBeGreaterThan(0);
    await expectWhole(run);
  });

  test('can use another model', async () => {
    const { run, model } = open([look('left'), failure]);
    await codeOf(run.start());
    const other = scriptedModel(['From me.'], { provider: 'other', modelId: 'large' });
    run.configure({ model: other });
    expect(await run.retry()).toBe('From me.');
    expect(json(other.calls[0]?.prompt)).toEqual(sent(model, 1));
    expect(run.getState()).toMatchObject({ model: 'other:large', simulated: false });
    expect(run.getState().steps.map(({ request }) => request.model)).toEqual([
      'simulated:scripted',
      'other:large',
    ]);
    await expectWhole(run);
  });

  test('keeps the state if the retry cannot begin, and the next retry continues', async () => {
    const { run, model, looked } = open([look('left'), failure, 'Nothing.']);
    await codeOf(run.start());
    run.configure({ model: 'nobody:x' });
    expect(await codeOf(run.retry())).toBe('unknown_model');
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'unknown_model' } });
    expect(run.getState().toolCalls).toHaveLength(1);
    await expectWhole(run);
    run.configure({ model });
    expect(await run.retry()).toBe('Nothing.');
    expect(looked).toEqual(['left']);
    await expectWhole(run);
  });
});

describe('retrying a stopped run', () => {
  test('continues after its last complete step', async () => {
    const { run, model, looked } = open([look('left'), endless, 'Nothing.']);
    const first = run.start();
    await nextEvent(run, (event) => event.type === 'text-delta' && event.text === 'Well');
    run.stop();
    expect(await codeOf(first)).toBe('aborted');
    expect(run.getState().text).toBe('Well');
    expect(await run.retry()).toBe('Nothing.');
    expect(looked).toEqual(['left']);
    expect(sent(model, 2)).toEqual(sent(model, 1));
    expect(JSON.stringify(run.getState().messages)).not.toContain('Well');
    await expectWhole(run);
  });

  test('ends an open call with an error, and the model may repeat it', async () => {
    const model = scriptedModel([look('left'), look('right'), look('right'), 'Nothing.']);
    const looked: string[] = [];
    const run = createRun(
      definePrompt('hanging', (prompt) => {
        prompt.defTool('look', 'Looks', z.object({ what: z.string() }), async ({ what }) => {
          looked.push(what);
          if (looked.length === 2) await new Promise(() => {});
          return what;
        });
        prompt.$`Look around.`;
      }),
      { model },
    );
    const first = run.start();
    await nextEvent(run, (event) => event.type === 'tool-start' && event.toolCallId === 'look-right');
    run.stop();
    expect(await codeOf(first)).toBe('aborted');
    expect(run.getState().toolCalls[1]?.state).toBe('interrupted');
    expect(await run.retry()).toBe('Nothing.');
    expect(looked).toEqual(['left', 'right', 'right']);
    expect(run.getState().toolCalls.map(({ state }) => state)).toEqual([
      'output-available',
      'output-error',
      'output-available',
    ]);
    expect(run.getState().toolCalls[1]?.errorText).toContain('It may have taken effect');
    expect(JSON.stringify(sent(model, 2))).toContain('It may have taken effect');
    await expectWhole(run);
  });

  test('stops the run first if it is running', async () => {
    const { run, looked } = open([look('left'), endless, 'Nothing.']);
    const heard: RunEvent[] = [];
    run.listen((event) => heard.push(event));
    const first = run.start();
    await nextEvent(run, ({ type }) => type === 'text-delta');
    const again = run.retry();
    expect(await codeOf(first)).toBe('aborted');
    expect(await again).toBe('Nothing.');
    expect(looked).toEqual(['left']);
    expect(heard.filter(({ type }) => type === 'run-end')).toMatchObject([
      { outcome: 'stopped' },
      { outcome: 'done' },
    ]);
    await expectWhole(run);
  });

  test('can be stopped again before any output', async () => {
    const { run } = open([look('left'), failure, 'Nothing.']);
    await codeOf(run.start());
    const again = run.retry();
    run.stop();
    expect(await codeOf(again)).toBe('aborted');
    expect(run.getState()).toMatchObject({ status: 'stopped', toolCalls: [{ state: 'output-available' }] });
    await expectWhole(run);
    expect(await run.retry()).toBe('Nothing.');
    await expectWhole(run);
  });
});

describe('retrying from a step', () => {
  const turns = [look('left'), look('right'), 'Nothing.', look('up'), 'All dark.'];

  test('works for a finished run', async () => {
    const { run, model, looked } = open(turns);
    expect(await run.start()).toBe('Nothing.');
    expect(await run.retry({ from: 1 })).toBe('All dark.');
    expect(looked).toEqual(['left', 'right', 'up']);
    expect(sent(model, 3)).toEqual(sent(model, 1));
    expect(run.getState().toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(['look-left', 'look-up']);
    await expectWhole(run);
  });

  test('repeats the whole turn by default if the run is done', async () => {
    for (const from of [undefined, 0]) {
      const { run, model } = open(['Hello.', 'Hello again.']);
      await run.start();
      expect(await run.retry({ from })).toBe('Hello again.');
      expect(sent(model, 1)).toEqual(sent(model, 0));
      expect(run.getState().messages).toHaveLength(2);
      await expectWhole(run);
    }
  });

  test('is refused for an impossible step, with the possible ones', async () => {
    const { run, model } = open(turns);
    await run.start();
    const state = run.getState();
    for (const from of [3, -1, 1.5, Number.NaN]) {
      await expect(run.retry({ from })).rejects.toMatchObject({
        code: 'invalid_options',
        message: `The run cannot continue from step ${from}. It can from 0, 1, 2: retry({ from: 2 }).`,
      });
    }
    expect(run.getState()).toBe(state);
    expect(model.calls).toHaveLength(3);
  });

  test('is refused for a run that has not begun', async () => {
    const { run, model } = open(['Hello.']);
    await expect(run.retry()).rejects.toMatchObject({
      code: 'invalid_options',
      message: 'There is no run to retry. Call start(input).',
    });
    expect(model.calls).toHaveLength(0);
  });
});
