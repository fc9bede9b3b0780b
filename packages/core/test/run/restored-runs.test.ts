import { createRun, inProcess, reduceAll, type RunEvent } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { json, types } from '../support.ts';
import { after, codeOf, memoryStorage, nextEvent } from '../support/runs.ts';
import { looked, research, look, endless, open, stored, brokenOff } from '../support/stored-runs.ts';

describe('after a reload', () => {
  test('a finished run is restored unchanged, and its conversation continues', async () => {
    const storage = memoryStorage();
    const before = open(storage, [look('left'), 'Nothing.']).run;
    await before.start('caves');
    await expect.poll(() => stored(storage).length).toBe(before.log().length);

    const { run, model } = open(storage, ['More.']);
    expect(run.getState().status).toBe('idle');
    await run.restored;
    expect(run.getState()).toEqual(json(before.getState()));
    expect(run.at(3)).toEqual(reduceAll(stored(storage).slice(0, 4)));
    expect(await run.send('And more?')).toBe('More.');
    expect(model.calls[0]?.prompt.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Look into caves.');
    expect(looked).toEqual([]);
  });

  test('a run is loaded once, when something watches it', async () => {
    const storage = memoryStorage();
    const { run } = open(storage, []);
    expect(storage.loads).toBe(0);
    run.subscribe(() => {});
    run.subscribe(() => {});
    await run.restored;
    await run.restored;
    expect(storage.loads).toBe(1);
    expect(run.getState().status).toBe('idle');
  });

  test('a live run is interrupted and keeps its state, and nothing starts or is stored', async () => {
    const storage = await brokenOff();
    const log = json(stored(storage));
    const { run, model } = open(storage, ['Never.']);
    const heard: RunEvent[] = [];
    run.listen((event) => heard.push(event));
    await run.restored;
    expect(run.getState()).toMatchObject({
      status: 'error',
      error: { code: 'interrupted' },
      text: 'well',
      toolCalls: [{ toolCallId: 'look-left', state: 'output-available' }],
    });
    expect(types(heard)).toEqual(['run-end']);
    await after(150);
    expect(model.calls).toHaveLength(0);
    expect(stored(storage)).toEqual(log);
  });

  test('a retry continues from the last complete step and rewrites the stored log', async () => {
    const storage = await brokenOff();
    const { run, model } = open(storage, ['Nothing there.']);
    await run.restored;
    expect(await run.retry()).toBe('Nothing there.');
    expect(looked).toEqual([]);
    expect(model.calls[0]?.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
    expect(storage.batches[0]?.[0]).toBe(0);
    expect(types(run.log())).toContain('run-resume');

    const again = open(storage, []).run;
    await again.restored;
    expect(again.getState()).toEqual(json(run.getState()));
  });

  test('a run can be retried before it is restored', async () => {
    const { run } = open(await brokenOff(), ['Nothing there.']);
    expect(await run.retry()).toBe('Nothing there.');
    expect(looked).toEqual([]);
  });

  test('a run that could not begin is retried with its input', async () => {
    const storage = memoryStorage();
    const before = createRun(research, { id: 'a', storage, model: 'nobody:x' });
    expect(await codeOf(before.start('caves'))).toBe('unknown_model');
    await expect.poll(() => stored(storage).length).toBe(2);
    const { run, model } = open(storage, ['Nothing.']);
    expect(await run.retry()).toBe('Nothing.');
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Look into caves.');
  });

  test('a run that continues elsewhere is followed to its end', async () => {
    const executor = inProcess();
    const storage = memoryStorage();
    const { run: before } = open(
      storage,
      [look('left'), [{ text: 'one two three', chunkSize: 4 }]],
      executor,
    );
    const whole = before.start('caves');
    await nextEvent(before, 'step-end');
    const left = memoryStorage({ a: json(before.log()) });
    const { run } = open(left, [], executor);
    const heard: RunEvent[] = [];
    run.listen((event) => heard.push(event));
    await run.restored;
    expect(await whole).toBe('one two three');
    await expect.poll(() => run.getState().status).toBe('done');
    expect(run.log()).toEqual(json(before.log()));
    expect(heard).toEqual(run.log().slice(-heard.length));
    await expect.poll(() => stored(left)).toEqual(json(run.log()));
    expect(looked).toEqual([]);
  });

  test('a run that continues elsewhere can be stopped', async () => {
    const executor = inProcess();
    const storage = memoryStorage();
    const { run: before, model } = open(storage, [endless], executor);
    void before.start('caves');
    await nextEvent(before, 'text-delta');
    await expect.poll(() => stored(storage).length).toBeGreaterThan(3);
    const { run } = open(memoryStorage({ a: stored(storage) }), [], executor);
    await run.restored;
    expect(run.getState().status).toBe('running');
    run.stop();
    await expect.poll(() => run.getState().status).toBe('stopped');
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
    expect(before.getState().status).toBe('stopped');
  });
});

describe('the key of a start', () => {
  test('does not start a stored run again, and resolves with the stored result', async () => {
    const storage = memoryStorage();
    const before = open(storage, ['Nothing.']).run;
    await before.start('caves', { key: 'mount' });
    await expect.poll(() => stored(storage).length).toBe(before.log().length);
    const { run, model } = open(storage, ['Again.']);
    const first = run.start('caves', { key: 'mount' });
    expect(run.start('caves', { key: 'mount' })).toBe(first);
    expect(await first).toBe('Nothing.');
    expect(model.calls).toHaveLength(0);
    expect(await run.start('caves', { key: 'other' })).toBe('Again.');
  });

  test('does not start an interrupted run again until it is retried', async () => {
    const { run, model } = open(await brokenOff(), ['Nothing there.']);
    expect(await codeOf(run.start('caves', { key: 'mount' }))).toBe('interrupted');
    expect(model.calls).toHaveLength(0);
    const again = run.retry();
    expect(run.start('caves', { key: 'mount' })).toBe(again);
    expect(await again).toBe('Nothing there.');
  });

  test('is kept after a retry and a reload', async () => {
    const storage = await brokenOff();
    const { run } = open(storage, ['Nothing there.']);
    await run.retry();
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
    const { run: reloaded, model } = open(storage, ['Never.']);
    expect(await reloaded.start('caves', { key: 'mount' })).toBe('Nothing there.');
    expect(model.calls).toHaveLength(0);
  });
});
