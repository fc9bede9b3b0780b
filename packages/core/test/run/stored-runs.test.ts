import {
  createRun,
  CuelineError,
  definePrompt,
  inProcess,
  reduceAll,
  type Executor,
  type RunEvent,
  type RunState,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { TextStreamPart, ToolSet } from 'ai';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { call, json, types } from '../support.ts';
import { after, atOnce, codeOf, memoryStorage, nextEvent, type MemoryStorage } from '../support/runs.ts';

const looked: string[] = [];
const research = definePrompt('research', (prompt, topic: string) => {
  prompt.defTool('look', 'Looks', z.object({ what: z.string() }), ({ what }) => {
    looked.push(what);
    return what;
  });
  prompt.$`Look into ${topic}.`;
});
const look = (what: string): ScriptedTurn => [call('look', { what }, `look-${what}`)];
const endless: ScriptedTurn = [{ text: 'well' }, { delay: 60_000 }];

/** A run under the id `a`; another one is the same run after a reload. */
function open(storage: MemoryStorage, turns: readonly ScriptedTurn[], executor?: Executor) {
  looked.length = 0;
  const model = scriptedModel(turns);
  return { run: createRun(research, { id: 'a', storage, model, executor, schedule: atOnce }), model };
}

const stored = (storage: MemoryStorage): RunEvent[] => storage.logs.get('a') ?? [];

/** The stored log of a run whose page went away in its second step. */
async function brokenOff(): Promise<MemoryStorage> {
  const storage = memoryStorage();
  const { run } = open(storage, [look('left'), endless]);
  void run.start('caves', { key: 'mount' });
  await nextEvent(run, (event) => event.type === 'text-delta');
  await expect.poll(() => types(stored(storage))).toContain('text-delta');
  const left = memoryStorage({ a: stored(storage) });
  run.stop();
  return left;
}

describe('while it continues', () => {
  test('a run is stored in batches, in its order; the start and the end come at once', async () => {
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

  test('that a call has begun is stored while its tool still runs, and does not wait for the next batch', async () => {
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

  test('a call whose event a transform delays does not wait for it without end', async () => {
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

  test('the next start takes the place of what was stored', async () => {
    const storage = memoryStorage();
    const { run } = open(storage, ['One.', 'Two.', 'Three.']);
    await run.start('caves');
    await run.start('hills');
    await run.send('And more.');
    await expect.poll(() => stored(storage).length).toBe(run.log().length);
    expect(stored(storage)).toEqual(json(run.log()));
    expect(reduceAll(stored(storage)).messages).toHaveLength(4);
  });

  test('nothing of a detached run', async () => {
    const storage = memoryStorage();
    const { run } = open(storage, [[{ text: 'one' }, { delay: 40 }], [{ text: 'two', delay: 60 }]]);
    const first = run.start('caves');
    await nextEvent(run, 'text-delta');
    await run.start('hills', { whenBusy: 'parallel' });
    await first;
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
  });

  test('a slow storage gets one batch at a time, and the run does not wait for it', async () => {
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

describe('after a reload', () => {
  test('a run that was done is restored as it was, and its conversation continues', async () => {
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

  test('is looked up once, when something watches', async () => {
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

  test('a live run is interrupted, with what it had; nothing starts, and nothing is stored', async () => {
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

  test('continues from its last whole step, and the stored log is rewritten', async () => {
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

  test('can be tried again before it is restored', async () => {
    const { run } = open(await brokenOff(), ['Nothing there.']);
    expect(await run.retry()).toBe('Nothing there.');
    expect(looked).toEqual([]);
  });

  test('a run that could not begin is tried again with its input', async () => {
    const storage = memoryStorage();
    const before = createRun(research, { id: 'a', storage, model: 'nobody:x' });
    expect(await codeOf(before.start('caves'))).toBe('unknown_model');
    await expect.poll(() => stored(storage).length).toBe(2);
    const { run, model } = open(storage, ['Nothing.']);
    expect(await run.retry()).toBe('Nothing.');
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Look into caves.');
  });

  test('whose work continues elsewhere is followed to its end', async () => {
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

  test('whose work continues elsewhere can be stopped', async () => {
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
  test('that is stored is not a new start: it resolves with the stored result', async () => {
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

  test('of a run that was interrupted: it stays so until it is retried', async () => {
    const { run, model } = open(await brokenOff(), ['Nothing there.']);
    expect(await codeOf(run.start('caves', { key: 'mount' }))).toBe('interrupted');
    expect(model.calls).toHaveLength(0);
    const again = run.retry();
    expect(run.start('caves', { key: 'mount' })).toBe(again);
    expect(await again).toBe('Nothing there.');
  });

  test('holds after a retry and a reload', async () => {
    const storage = await brokenOff();
    const { run } = open(storage, ['Nothing there.']);
    await run.retry();
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
    const { run: reloaded, model } = open(storage, ['Never.']);
    expect(await reloaded.start('caves', { key: 'mount' })).toBe('Nothing there.');
    expect(model.calls).toHaveLength(0);
  });
});

describe('before it is restored', () => {
  /** A storage that answers when it is told to. */
  function slow(storage: MemoryStorage): { answer: () => void } {
    const { load } = storage;
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => (answer = resolve));
    storage.load = async (id) => {
      await asked;
      return load(id);
    };
    return { answer };
  }

  test('a start waits, and the run shows that it is under way: never that it is idle or interrupted', async () => {
    const storage = await brokenOff();
    const { answer } = slow(storage);
    const { run, model } = open(storage, ['New.']);
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

  test('starts are made in their order', async () => {
    const storage = memoryStorage();
    const { answer } = slow(storage);
    const { run } = open(storage, ['One.', 'Two.']);
    const results = [run.start('caves'), run.start('hills', { whenBusy: 'queue' })];
    answer();
    expect(await Promise.all(results)).toEqual(['One.', 'Two.']);
  });

  test('a stop takes a start back, and ends what is found', async () => {
    const executor = inProcess();
    const other = memoryStorage();
    const { run: before } = open(other, [endless], executor);
    void before.start('caves');
    await nextEvent(before, 'text-delta');
    await expect.poll(() => stored(other).length).toBeGreaterThan(3);
    const storage = memoryStorage({ a: stored(other) });
    const { answer } = slow(storage);
    const { run, model } = open(storage, ['New.'], executor);
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

  test('a start after a stop is made', async () => {
    const storage = await brokenOff();
    const { answer } = slow(storage);
    const { run } = open(storage, ['New.']);
    const first = run.start('caves');
    run.stop();
    const second = run.start('hills');
    answer();
    expect(await codeOf(first)).toBe('aborted');
    expect(await second).toBe('New.');
  });

  test('a signal takes its start back', async () => {
    const storage = memoryStorage();
    const { answer } = slow(storage);
    const { run, model } = open(storage, ['New.']);
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

describe('a storage that fails', () => {
  test('to load: the run reports it and is new; the next start is stored, and the error is cleared', async () => {
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
          'What is stored of this run could not be read: The disk is on fire. The run begins without it.',
      },
    });
    storage.load = load;
    expect(await run.start('caves')).toBe('One.');
    expect(run.getState()).not.toHaveProperty('storageError');
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
  });

  test('to load: what was to start starts', async () => {
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

  test.each([1, 3])(
    'to append %i times: the run reports it meanwhile, and nothing is lost',
    async (times) => {
      const { run, storage, errors } = openWith((attempt, store) =>
        attempt > 1 && attempt <= 1 + times ? Promise.reject(new Error('503.')) : store(),
      );
      expect(await run.start('caves')).toBe('onetwo');
      await expect.poll(() => stored(storage), { timeout: 8_000 }).toEqual(json(run.log()));
      expect(errors).toEqual([
        'The run could not be stored: 503. It continues in memory, and is stored as soon as that is possible.',
        undefined,
      ]);
      expect(run.getState()).not.toHaveProperty('storageError');
    },
  );

  test('to append after it had stored the batch: what it has of it is replaced', async () => {
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
    await run.start('caves');
    await expect.poll(() => stored(storage), { timeout: 5_000 }).toEqual(json(run.log()));
  });

  test('first in one way and then in another: each is reported', async () => {
    const why = ['503.', 'Full.', 'Full.'];
    const { run, storage, errors } = openWith((attempt, store) =>
      attempt === 1 || why.length === 0 ? store() : Promise.reject(new Error(why.shift())),
    );
    await run.start('caves');
    await expect.poll(() => stored(storage), { timeout: 8_000 }).toEqual(json(run.log()));
    expect(errors.map((error) => /503|Full/.exec(String(error))?.[0])).toEqual(['503', 'Full', undefined]);
  });

  test('by throwing at once', async () => {
    const { run, storage } = openWith((attempt, store) => {
      if (attempt === 1) throw new Error('Not today.');
      return store();
    });
    expect(await run.start('caves')).toBe('onetwo');
    await expect.poll(() => stored(storage), { timeout: 5_000 }).toEqual(json(run.log()));
  });

  test.each(['denied', 'foreign', 'other_tab', 'gone', 'gap'])(
    'for good (%s): it is reported once and not asked again before the next start',
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

  test('while a new start replaces what could not be stored: the new one is stored at once', async () => {
    let fails = true;
    const { run, storage } = openWith((_, store) => (fails ? Promise.reject(new Error('Full.')) : store()));
    await run.start('caves');
    expect(run.getState().storageError?.message).toContain('Full');
    fails = false;
    expect(await run.start('hills')).toBe('Two.');
    await expect.poll(() => stored(storage)).toEqual(json(run.log()));
    expect(run.getState()).not.toHaveProperty('storageError');
  });

  describe('to answer', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    test('an append: the run continues and reports it; a late answer counts', async () => {
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

    test('a load: what was to start starts', async () => {
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

  test('while a new start replaces what it was busy with: only the new one counts', async () => {
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

  test('by more events of a type than a run may hold: what is within the limit is shown', async () => {
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
    ['nothing', null],
    ['a text', 'lost'],
    ['an event of another place', { seq: 3, t: 0, type: 'warning', message: 'x' }],
  ])('by %s', async (_, damage) => {
    const log = await whole();
    const { run } = open(memoryStorage({ a: log.toSpliced(5, 1, damage as never) }), ['Done again.']);
    await run.restored;
    expect(run.log().slice(0, 5)).toEqual(json(log.slice(0, 5)));
    expect(await run.retry()).toBe('Done again.');
    expect(run.getState()).not.toHaveProperty('storageError');
  });
});

describe('a log that is passed in', () => {
  test('is what the run begins with if nothing is stored', async () => {
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

  test('that broke off is running until something watches, and then interrupted', async () => {
    const log = stored(await brokenOff());
    const run = createRun(research, { log, schedule: atOnce, model: scriptedModel(['Nothing there.']) });
    expect(run.getState()).toMatchObject({ status: 'running', text: 'well' });
    run.subscribe(() => {});
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'interrupted' } });
    expect(await run.retry()).toBe('Nothing there.');
  });

  test('whose work continues is followed, and stored from its beginning', async () => {
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

  test('that is not a log is a run that has not begun', async () => {
    const run = createRun(research, { log: [], model: scriptedModel(['One.']) });
    await run.restored;
    expect(run.getState().status).toBe('idle');
    expect(await run.start('caves')).toBe('One.');
  });
});
