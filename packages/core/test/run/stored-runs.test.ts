import { createRun, definePrompt, inProcess, reduceAll, type Executor, type RunState } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { TextStreamPart, ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, json } from '../support.ts';
import { after, codeOf, memoryStorage, nextEvent, type MemoryStorage } from '../support/runs.ts';
import { look, endless, open, stored, brokenOff } from '../support/stored-runs.ts';

describe('a run that is stored while it continues', () => {
  test('is written in ordered batches, with its start and end at once', async () => {
    const storage = memoryStorage();
    const { run } = open(storage, [look('left'), [{ text: 'one ', delay: 150 }, 'two']]);
    await run.start('caves');
    await expect.poll(() => stored(storage).length).toBe(run.log().length);
    expect(stored(storage)).toEqual(json(run.log()));
    expect(storage.batches.length).toBeGreaterThan(1);
    expect(storage.batches.length).toBeLessThan(9);
    expect(storage.batches[0]).toEqual([0, 0]);
    for (const [index, [first]] of storage.batches.slice(1).entries()) {
      expect(first).toBe(storage.batches[index]![1] + 1);
    }
  });

  test('stores the start of a call while its tool runs, before the next batch', async () => {
    const storage = memoryStorage();
    const send = definePrompt('send', (prompt) => {
      prompt.defTool('send', 'Sends', z.object({}), () => after(30), { effect: 'external' });
      prompt.$`Send it.`;
    });
    const model = scriptedModel([[call('send', {})], 'Sent.']);
    const run = createRun(send, { id: 'plan', storage, model });
    await run.start();
    const begun = run.log().find(({ type }) => type === 'tool-start');
    expect(begun).toMatchObject({ effect: 'external' });
    expect(storage.batches.map(([, last]) => last)).toContain(begun?.seq);
  });

  test('runs a call after a bounded wait if a transform delays its event', async () => {
    const send = definePrompt('send', (prompt) => {
      prompt.defTool('send', 'Sends', z.object({}), () => 'sent', { effect: 'external' });
      prompt.$`Send it.`;
    });
    const model = scriptedModel([[call('send', {})], 'Sent.']);
    // holds everything of a step back until its last part
    const holdBack = () => {
      let held: TextStreamPart<ToolSet>[] = [];
      return new TransformStream<TextStreamPart<ToolSet>, TextStreamPart<ToolSet>>({
        transform(part, controller) {
          held.push(part);
          if (part.type !== 'finish-step' && part.type !== 'finish') return;
          for (const each of held) controller.enqueue(each);
          held = [];
        },
      });
    };
    const options = { experimental_transform: holdBack };
    const run = createRun(send, { id: 'held', storage: memoryStorage(), model, options });
    expect(await run.start()).toBe('Sent.');
  });

  test('replaces the stored log with its next start', async () => {
    const storage = memoryStorage();
    const { run } = open(storage, ['One.', 'Two.', 'Three.']);
    await run.start('caves');
    await run.start('hills');
    await run.send('And more.');
    await expect.poll(() => stored(storage).length).toBe(run.log().length);
    expect(stored(storage)).toEqual(json(run.log()));
    expect(reduceAll(stored(storage)).messages).toHaveLength(4);
  });

  test('stores nothing of a detached run', async () => {
    const storage = memoryStorage();
    const { run } = open(storage, [[{ text: 'one' }, { delay: 40 }], [{ text: 'two', delay: 60 }]]);
    const first = run.start('caves');
    await nextEvent(run, 'text-delta');
    await run.start('hills', { whenBusy: 'parallel' });
    await first;
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
  });

  test('writes one batch at a time to a slow storage, without waiting for it', async () => {
    const storage = memoryStorage();
    const { append } = storage;
    let writing = 0;
    let most = 0;
    storage.append = async (id, events) => {
      most = Math.max(most, (writing += 1));
      await after(60);
      await append(id, events);
      writing -= 1;
    };
    const { run } = open(storage, [look('left'), [{ text: 'one', delay: 120 }, 'two'], 'Other.']);
    await run.start('caves');
    await run.start('hills');
    expect(stored(storage)).not.toEqual(json(run.log()));
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
    expect(most).toBe(1);
  });
});

describe('a run that is not yet restored', () => {
  /** A run whose storage answers when the test lets it. */
  function openSlow(storage: MemoryStorage, turns: readonly ScriptedTurn[], executor?: Executor) {
    const { load } = storage;
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => (answer = resolve));
    storage.load = async (id) => {
      await asked;
      return load(id);
    };
    return { ...open(storage, turns, executor), answer };
  }

  test('lets a start wait, and is never shown as idle or interrupted', async () => {
    const storage = await brokenOff();
    const { run, model, answer } = openSlow(storage, ['New.']);
    const seen: RunState['status'][] = [];
    run.subscribe(({ status }) => seen.push(status));
    const started = run.start('hills');
    expect(run.getState()).toMatchObject({ status: 'running', phase: 'requesting' });
    await after(10);
    expect(model.calls).toHaveLength(0);
    answer();
    expect(await started).toBe('New.');
    await after(5);
    expect(new Set(seen)).toEqual(new Set(['running', 'done']));
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
  });

  test('starts in order', async () => {
    const { run, answer } = openSlow(memoryStorage(), ['One.', 'Two.']);
    const results = [run.start('caves'), run.start('hills', { whenBusy: 'queue' })];
    answer();
    expect(await Promise.all(results)).toEqual(['One.', 'Two.']);
  });

  test('drops its starts at a stop, and ends the run that is found', async () => {
    const executor = inProcess();
    const other = memoryStorage();
    const { run: before } = open(other, [endless], executor);
    void before.start('caves');
    await nextEvent(before, 'text-delta');
    await expect.poll(() => stored(other).length).toBeGreaterThan(3);
    const storage = memoryStorage({ a: stored(other) });
    const { run, model, answer } = openSlow(storage, ['New.'], executor);
    const started = run.start('hills');
    run.stop();
    expect(run.getState().status).toBe('idle');
    expect(await codeOf(started)).toBe('aborted');
    answer();
    await run.restored;
    await expect.poll(() => run.getState().status).toBe('stopped');
    expect(before.getState().status).toBe('stopped');
    expect(model.calls).toHaveLength(0);
  });

  test('starts after a stop', async () => {
    const storage = await brokenOff();
    const { run, answer } = openSlow(storage, ['New.']);
    const first = run.start('caves');
    run.stop();
    const second = run.start('hills');
    answer();
    expect(await codeOf(first)).toBe('aborted');
    expect(await second).toBe('New.');
  });

  test('drops a start whose signal aborts', async () => {
    const { run, model, answer } = openSlow(memoryStorage(), ['New.']);
    const controller = new AbortController();
    const started = run.start('hills', { signal: controller.signal });
    controller.abort();
    expect(await codeOf(started)).toBe('aborted');
    answer();
    await run.restored;
    expect(run.getState().status).toBe('idle');
    expect(model.calls).toHaveLength(0);
  });
});
