import { createRun, definePrompt, inProcess, reduceAll, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { types } from '../support.ts';
import { after, codeOf, nextEvent } from '../support/runs.ts';

const say = definePrompt('say', (prompt) => prompt.$`Say something.`);
const endless: ScriptedTurn = [{ text: 'well' }, { delay: 60_000 }];
const slow: ScriptedTurn = [{ text: 'one two three four five six', chunkSize: 4, delay: 5 }];

function open(turns: readonly ScriptedTurn[]) {
  const model = scriptedModel(turns, { delay: 3 });
  const run = createRun(say, { model, executor: inProcess() });
  const heard: RunEvent[] = [];
  run.listen((event) => heard.push(event));
  /** Aborted where the model call was given up. */
  const isAborted = (call: number): boolean => model.calls[call]?.abortSignal?.aborted === true;
  return { run, model, heard, isAborted };
}

/** The same, detached at the first event of `type`. */
async function detached(turns: readonly ScriptedTurn[], type: RunEvent['type'] = 'text-delta') {
  const opened = open(turns);
  const result = opened.run.start();
  await nextEvent(opened.run, type);
  opened.run.detach();
  return { ...opened, result };
}

describe('a detached run', () => {
  test('continues, and is followed again from the last event without loss or repetition', async () => {
    const { run, heard, result } = await detached([slow]);
    const left = heard.length;
    await after(20);
    expect(heard).toHaveLength(left);
    expect(run.getState().status).toBe('running');
    run.attach();
    expect(await result).toBe('one two three four five six');
    expect(heard).toEqual(run.log());
    expect(run.log().map(({ seq }) => seq)).toEqual(run.log().map((_, index) => index));
    expect(reduceAll(run.log())).toStrictEqual(run.getState());
  });

  test('can be detached and attached several times', async () => {
    const { run, heard } = open([slow]);
    const result = run.start();
    while (run.getState().status === 'running') {
      await Promise.race([nextEvent(run, 'text-delta'), result]);
      run.detach();
      run.detach();
      await after(4);
      run.attach();
      run.attach();
    }
    await result;
    expect(heard).toEqual(run.log());
    expect(types(heard).filter((type) => type === 'text-delta')).toHaveLength(7);
  });

  test('can be detached before its first event', async () => {
    const { run, heard } = open([slow]);
    const result = run.start();
    run.detach();
    await expect.poll(() => heard.length).toBe(1);
    await after(20);
    // which run it is has to be known, to find it again
    expect(types(heard)).toEqual(['run-start']);
    run.attach();
    expect(await result).toBe('one two three four five six');
    expect(heard).toEqual(run.log());
  });

  test('is not released if it is attached again before its first event', async () => {
    const { run } = open([slow]);
    const result = run.start();
    run.detach();
    run.attach();
    expect(await result).toBe('one two three four five six');
  });

  test('shows its end when it is attached after it has ended', async () => {
    const { run, heard, result } = await detached(['Quick.'], 'run-start');
    await after(60);
    expect(run.getState().status).toBe('running');
    run.attach();
    expect(await result).toBe('Quick.');
    expect(heard).toEqual(run.log());
  });

  test('is interrupted if it cannot be found again', async () => {
    const model = scriptedModel([slow]);
    const { start } = inProcess();
    const run = createRun(say, { model, executor: { start } });
    const result = run.start();
    await nextEvent(run, 'run-start');
    run.detach();
    run.attach();
    expect(await codeOf(result)).toBe('interrupted');
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'interrupted' } });
  });

  test.each(['at once', 'after it was attached again'])('is ended by a stop %s', async (when) => {
    const { run, isAborted, result } = await detached([endless]);
    if (when !== 'at once') run.attach();
    run.stop();
    if (when === 'at once') expect(run.getState().status).toBe('stopped');
    expect(await codeOf(result)).toBe('aborted');
    expect(isAborted(0)).toBe(true);
    expect(types(run.log()).filter((type) => type === 'run-end')).toHaveLength(1);
  });

  test('is replaced and ended by another start', async () => {
    const { run, heard, isAborted, result: first } = await detached([endless, 'Two.']);
    expect(await run.start()).toBe('Two.');
    expect(await codeOf(first)).toBe('aborted');
    expect(isAborted(0)).toBe(true);
    expect(types(heard).filter((type) => type === 'run-end')).toHaveLength(2);
  });

  test('does not hold up a queued start', async () => {
    const { run, isAborted } = await detached([endless, 'Two.']);
    expect(await run.start(undefined, { whenBusy: 'queue' })).toBe('Two.');
    expect(isAborted(0)).toBe(false);
    run.stop();
    expect(isAborted(0)).toBe(true);
  });

  test('lets a start go that has waited for its end', async () => {
    const { run, isAborted } = open([endless, 'Two.']);
    void run.start();
    const second = run.start(undefined, { whenBusy: 'queue' });
    await nextEvent(run, 'text-delta');
    run.detach();
    expect(await second).toBe('Two.');
    expect(isAborted(0)).toBe(false);
    run.stop();
    expect(isAborted(0)).toBe(true);
  });

  test('is followed in its latest attempt', async () => {
    const { run, heard } = open([[{ throw: 'No.' }], slow]);
    await codeOf(run.start());
    const again = run.retry();
    await nextEvent(run, 'text-delta');
    run.detach();
    await after(10);
    run.attach();
    expect(await again).toBe('one two three four five six');
    expect(heard.slice(heard.findLastIndex(({ type }) => type === 'run-start'))).toEqual(run.log());
  });

  test('accepts commands', async () => {
    const { run, result } = await detached([slow]);
    expect(await run.edit({ type: 'add', title: 'x' })).toEqual({
      accepted: false,
      reason: 'The run has no task list.',
    });
    run.attach();
    await result;
  });

  test('detach and attach do nothing without a run', async () => {
    const { run, heard } = open(['One.']);
    run.detach();
    run.attach();
    expect(run.getState().status).toBe('idle');
    await run.start();
    run.detach();
    run.attach();
    expect(run.getState().status).toBe('done');
    expect(types(heard).filter((type) => type === 'run-end')).toHaveLength(1);
  });
});
