import { createRun, CuelineError, inProcess, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { json } from '../support.ts';
import { after, atOnce, memoryStorage, nextEvent } from '../support/runs.ts';
import { research, look, open, stored, brokenOff } from '../support/stored-runs.ts';

describe('a storage that fails', () => {
  test('to load: the run reports it and is new, and the next start is stored and clears the error', async () => {
    const storage = memoryStorage();
    const { load } = storage;
    storage.load = () => Promise.reject(new Error('The disk is on fire.'));
    const { run } = open(storage, ['One.']);
    await run.restored;
    expect(run.getState()).toMatchObject({
      status: 'idle',
      storageError: {
        code: 'storage_failed',
        message:
          'The stored log of this run could not be read: The disk is on fire. The run starts without it.',
      },
    });
    storage.load = load;
    expect(await run.start('caves')).toBe('One.');
    expect(run.getState()).not.toHaveProperty('storageError');
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
  });

  test('to load: a waiting start begins', async () => {
    const storage = memoryStorage();
    storage.load = () => Promise.reject(new CuelineError('storage_failed', 'Blocked.'));
    const { run } = open(storage, ['One.']);
    expect(await run.start('caves')).toBe('One.');
  });

  /** A run whose appends are answered by `append`, with each change of its storage error. */
  function openWith(append: (attempt: number, store: () => Promise<void>) => Promise<void>) {
    const storage = memoryStorage();
    const store = storage.append;
    let attempts = 0;
    storage.append = (id, events) => append((attempts += 1), () => store(id, events));
    const slow: ScriptedTurn = [
      { text: 'one', delay: 130 },
      { text: 'two', delay: 130 },
    ];
    const { run } = open(storage, [look('left'), slow, 'Two.']);
    const errors: unknown[] = [];
    run.subscribe(({ storageError }) => {
      if (errors.at(-1) !== storageError?.message) errors.push(storageError?.message);
    });
    return { run, storage, errors, attempts: () => attempts };
  }

  describe('as time passes', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    test.each([1, 3])('to append %i times: the run reports it, and nothing is lost', async (times) => {
      const { run, storage, errors } = openWith((attempt, store) =>
        attempt > 1 && attempt <= 1 + times ? Promise.reject(new Error('503.')) : store(),
      );
      const result = run.start('caves');
      await vi.advanceTimersByTimeAsync(11_000);
      expect(await result).toBe('onetwo');
      expect(stored(storage)).toEqual(json(run.log()));
      expect(errors).toEqual([
        'The run could not be stored: 503. It continues in memory, and is stored as soon as that is possible.',
        undefined,
      ]);
      expect(run.getState()).not.toHaveProperty('storageError');
    });

    test('to append after it stored the batch: the batch is replaced', async () => {
      const storage = memoryStorage();
      const { append } = storage;
      let calls = 0;
      storage.append = async (id, events) => {
        calls += 1;
        const before = (storage.logs.get(id) ?? []).slice(0, events[0]!.seq);
        storage.logs.set(id, before);
        await append(id, events);
        if (calls === 2) throw new Error('The answer was lost.');
      };
      const { run } = open(storage, [look('left'), 'Done.']);
      void run.start('caves');
      await vi.advanceTimersByTimeAsync(11_000);
      expect(stored(storage)).toEqual(json(run.log()));
    });

    test('first in one way and then in another: each error is reported', async () => {
      const why = ['503.', 'Full.', 'Full.'];
      const { run, storage, errors } = openWith((attempt, store) =>
        attempt === 1 || why.length === 0 ? store() : Promise.reject(new Error(why.shift())),
      );
      void run.start('caves');
      await vi.advanceTimersByTimeAsync(11_000);
      expect(stored(storage)).toEqual(json(run.log()));
      expect(errors.map((error) => /503|Full/.exec(String(error))?.[0])).toEqual(['503', 'Full', undefined]);
    });

    test('by throwing synchronously', async () => {
      const { run, storage } = openWith((attempt, store) => {
        if (attempt === 1) throw new Error('Not today.');
        return store();
      });
      const result = run.start('caves');
      await vi.advanceTimersByTimeAsync(11_000);
      expect(await result).toBe('onetwo');
      expect(stored(storage)).toEqual(json(run.log()));
    });

    test('to answer an append: the run continues and reports it, and a late answer counts', async () => {
      let answer = (): void => {};
      const { run, storage } = openWith(async (attempt, store) => {
        if (attempt === 2) await new Promise<void>((resolve) => (answer = resolve));
        return store();
      });
      const result = run.start('caves');
      await vi.advanceTimersByTimeAsync(11_000);
      expect(await result).toBe('onetwo');
      expect(run.getState()).toMatchObject({
        status: 'done',
        storageError: { code: 'storage_failed', details: { reason: 'silent' } },
      });
      answer();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(stored(storage)).toEqual(json(run.log()));
      expect(run.getState()).not.toHaveProperty('storageError');
    });

    test('to answer a load: a waiting start begins', async () => {
      const storage = memoryStorage();
      storage.load = () => new Promise(() => {});
      const { run } = open(storage, ['One.']);
      const result = run.start('caves');
      await vi.advanceTimersByTimeAsync(11_000);
      expect(await result).toBe('One.');
      await vi.advanceTimersByTimeAsync(1_000);
      expect(stored(storage)).toEqual(json(run.log()));
    });
  });

  test.each(['denied', 'foreign', 'other_tab', 'gone', 'gap'])(
    'for good (%s): it is reported once and not called again before the next start',
    async (reason) => {
      let fails = true;
      const { run, storage, errors, attempts } = openWith((attempt, store) =>
        attempt > 1 && fails
          ? Promise.reject(new CuelineError('storage_failed', 'No.', { details: { reason } }))
          : store(),
      );
      expect(await run.start('caves')).toBe('onetwo');
      await after(20);
      expect(run.getState()).toMatchObject({ status: 'done', storageError: { message: 'No.' } });
      expect(attempts()).toBe(2);
      fails = false;
      expect(await run.start('hills')).toBe('Two.');
      await expect.poll(() => stored(storage)).toEqual(json(run.log()));
      expect(errors).toEqual(['No.', undefined]);
    },
  );

  test('while a new start replaces unstored events: the new start is stored at once', async () => {
    let fails = true;
    const { run, storage } = openWith((_, store) => (fails ? Promise.reject(new Error('Full.')) : store()));
    await run.start('caves');
    expect(run.getState().storageError?.message).toContain('Full');
    fails = false;
    expect(await run.start('hills')).toBe('Two.');
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
    expect(run.getState()).not.toHaveProperty('storageError');
  });

  test('while a new start replaces the pending write: only the new start counts', async () => {
    const storage = memoryStorage();
    const { append } = storage;
    let calls = 0;
    storage.append = async (id, events) => {
      calls += 1;
      if (calls > 1) return append(id, events);
      await after(60);
      throw new Error('Busy.');
    };
    const { run } = open(storage, ['One.', [{ text: 'two', delay: 40 }]]);
    await run.start('caves');
    await run.start('hills');
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
    expect(run.getState()).not.toHaveProperty('storageError');
  });
});

describe('a stored log that is damaged', () => {
  async function whole(): Promise<RunEvent[]> {
    const storage = memoryStorage();
    const { run } = open(storage, [look('left'), 'Done.']);
    await run.start('caves');
    await expect.poll(() => stored(storage).length).toBe(run.log().length);
    return stored(storage);
  }

  test('shows everything before the damage, wherever it is, and reports what is lost', async () => {
    const log = await whole();
    for (let at = 1; at < log.length; at += 1) {
      const storage = memoryStorage({ a: log.toSpliced(at, 1, { seq: at } as never) });
      const { run } = open(storage, []);
      await run.restored;
      const state = run.getState();
      expect(run.log().slice(0, at)).toEqual(json(log.slice(0, at)));
      expect(state).toMatchObject({
        status: 'error',
        error: { code: 'interrupted' },
        storageError: { code: 'storage_failed', details: { reason: 'damaged' } },
      });
      expect(state.storageError?.message).toContain(`after its first ${at} events`);
    }
  });

  test('shows the events within the limit if it has too many events of a type', async () => {
    const [start] = await whole();
    const warnings = Array.from({ length: 10_001 }, (_none, index): RunEvent => ({
      seq: index + 1,
      t: 1,
      type: 'warning',
      message: 'Again.',
    }));
    const { run } = open(memoryStorage({ a: [start!, ...warnings] }), []);
    await run.restored;
    expect(run.getState().storageError?.message).toContain('after its first 10001 events');
    expect(run.getState().warnings).toHaveLength(10_000);
  });

  test.each([
    ['a missing event', null],
    ['a text', 'lost'],
    ['an event with a wrong seq', { seq: 3, t: 0, type: 'warning', message: 'x' }],
  ])('shows the events before %s, and can be retried', async (_, damage) => {
    const log = await whole();
    const { run } = open(memoryStorage({ a: log.toSpliced(5, 1, damage as never) }), ['Done again.']);
    await run.restored;
    expect(run.log().slice(0, 5)).toEqual(json(log.slice(0, 5)));
    expect(await run.retry()).toBe('Done again.');
    expect(run.getState()).not.toHaveProperty('storageError');
  });
});

describe('a log that is passed in', () => {
  test('is the initial log of the run if nothing is stored', async () => {
    const storage = memoryStorage({ a: [] });
    const before = createRun(research, { model: scriptedModel(['One.']) });
    await before.start('caves');
    const run = createRun(research, {
      id: 'a',
      storage,
      model: scriptedModel(['Two.']),
      log: json(before.log()),
    });
    expect(run.getState()).toEqual(json(before.getState()));
    await run.restored;
    expect(run.getState()).toEqual(json(before.getState()));
    expect(await run.send('And?')).toBe('Two.');
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));

    const later = createRun(research, { id: 'a', storage, log: json(before.log()) });
    await later.restored;
    expect(later.log()).toEqual(json(run.log()));
  });

  test('is running until something watches, and then interrupted, if it has no end', async () => {
    const log = stored(await brokenOff());
    const run = createRun(research, { log, schedule: atOnce, model: scriptedModel(['Nothing there.']) });
    expect(run.getState()).toMatchObject({ status: 'running', text: 'well' });
    run.subscribe(() => {});
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'interrupted' } });
    expect(await run.retry()).toBe('Nothing there.');
  });

  test('is followed and stored from its beginning if its run continues elsewhere', async () => {
    const executor = inProcess();
    const other = memoryStorage();
    const { run: before } = open(other, [look('left'), [{ text: 'one two three', chunkSize: 4 }]], executor);
    void before.start('caves');
    await nextEvent(before, 'step-end');
    const storage = memoryStorage();
    const run = createRun(research, { id: 'a', storage, executor, log: before.log().slice() });
    run.subscribe(() => {});
    await expect.poll(() => run.getState().status).toBe('done');
    expect(run.log()).toEqual(before.log());
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
  });

  test('is ignored if it is not a log', async () => {
    const run = createRun(research, { log: [], model: scriptedModel(['One.']) });
    await run.restored;
    expect(run.getState().status).toBe('idle');
    expect(await run.start('caves')).toBe('One.');
  });
});
