import { createRun, definePrompt, type RunEvent, type RunState } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { types } from '../support.ts';
import { after, atOnce, codeOf, nextEvent } from '../support/runs.ts';

const say = definePrompt('say', (prompt, word: string) => prompt.$`Say ${word}.`);

/** An answer that goes on until it is stopped. */
const endless: ScriptedTurn = [{ text: 'well' }, { delay: 60_000 }];
/** An answer that takes a moment. */
const slow = (text: string): ScriptedTurn => [{ text, delay: 15 }];

function open(turns: readonly ScriptedTurn[]) {
  const model = scriptedModel(turns);
  const run = createRun(say, { model, schedule: atOnce });
  const heard: RunEvent[] = [];
  run.listen((event) => heard.push(event));
  /** What the model was asked, in order. */
  const asked = (): string[] => model.calls.map(({ prompt }) => JSON.stringify(prompt.at(-1)?.content));
  return { run, model, heard, asked };
}

/** The same while the run writes the answer to its first start. */
async function openBusy(turns: readonly ScriptedTurn[]) {
  const opened = open(turns);
  const controller = new AbortController();
  const first = opened.run.start('one', { signal: controller.signal });
  await nextEvent(opened.run, 'text-delta');
  return { ...opened, first, controller };
}

const ends = (events: readonly RunEvent[]): unknown[] =>
  events.flatMap((event) => (event.type === 'run-end' ? [event.outcome] : []));

describe('a start while the run is in progress', () => {
  test('replaces it: the two runs follow each other', async () => {
    const { run, heard, first } = await openBusy([endless, 'Two.']);
    const second = run.start('two');
    expect(heard.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    expect(run.getState()).toMatchObject({ status: 'running', phase: 'requesting', text: '', messages: [] });
    expect(await codeOf(first)).toBe('aborted');
    expect(await second).toBe('Two.');
    expect(ends(heard)).toEqual(['stopped', 'done']);
    expect(heard.filter(({ type }) => type === 'run-start')).toHaveLength(2);
    expect(types(run.log())[0]).toBe('run-start');
  });

  test('replaces waiting starts, too', async () => {
    const { run, model, first } = await openBusy([endless, 'Three.']);
    const second = run.start('two', { whenBusy: 'queue' });
    const third = run.start('three');
    expect(run.getState().queued).toBe(0);
    expect(await codeOf(first)).toBe('aborted');
    expect(await codeOf(second)).toBe('aborted');
    expect(await third).toBe('Three.');
    expect(model.calls).toHaveLength(2);
  });

  test.each(['reject', 'queued' as 'queue'] as const)(
    'fails as busy and changes nothing with reject, or a word that does not exist: %s',
    async (whenBusy) => {
      const { run, model, heard } = open([slow('One.')]);
      const first = run.start('one');
      const state = run.getState();
      const refused = run.start('two', { whenBusy });
      expect(run.getState()).toBe(state);
      await expect(refused).rejects.toMatchObject({
        code: 'busy',
        message: "The run is in progress. Set whenBusy: 'queue', 'replace' or 'parallel'.",
      });
      if (whenBusy === 'reject') expect(await codeOf(run.send('And?', { whenBusy }))).toBe('busy');
      expect(await first).toBe('One.');
      expect(model.calls).toHaveLength(1);
      expect(ends(heard)).toEqual(['done']);
    },
  );

  test('starts at once if the run is not running', async () => {
    const { run } = open(['1', '2', '3', '4']);
    expect(await run.start('a', { whenBusy: 'reject' })).toBe('1');
    expect(await run.start('b', { whenBusy: 'queue' })).toBe('2');
    expect(await run.start('c', { whenBusy: 'parallel' })).toBe('3');
    expect(await run.start('d', { whenBusy: 'replace' })).toBe('4');
    expect(run.getState().queued).toBe(0);
  });
});

describe('queued starts', () => {
  test('follow each other in order, and the state counts those that wait', async () => {
    const { run, asked, heard } = open([slow('One.'), slow('Two.'), 'Three.', 'Four.']);
    const queued: number[] = [];
    run.subscribe((state) => {
      if (queued.at(-1) !== state.queued) queued.push(state.queued);
    });
    const results = [
      run.start('one'),
      run.start('two', { whenBusy: 'queue' }),
      run.start('three', { whenBusy: 'queue' }),
      run.send('and more', { whenBusy: 'queue' }),
    ];
    expect(run.getState()).toMatchObject({ status: 'running', queued: 3 });
    expect(await Promise.all(results)).toEqual(['One.', 'Two.', 'Three.', 'Four.']);
    expect(asked()).toEqual([
      '[{"type":"text","text":"Say one."}]',
      '[{"type":"text","text":"Say two."}]',
      '[{"type":"text","text":"Say three."}]',
      '[{"type":"text","text":"and more"}]',
    ]);
    expect(ends(heard)).toEqual(['done', 'done', 'done', 'done']);
    await after(5);
    expect(queued).toEqual([0, 1, 2, 3, 2, 1, 0]);
  });

  test('have the settings of their calls, and a retry has the present ones', async () => {
    const models = ['One.', 'Two.', 'Three.', 'Four.'].map((text) => scriptedModel([slow(text)]));
    const run = createRun(say, { model: models[0]!, schedule: atOnce });
    const first = run.start('one');
    run.configure({ model: models[1]! });
    const second = run.start('two', { whenBusy: 'queue' });
    run.configure({ model: models[2]! });
    const third = run.send('three', { whenBusy: 'queue' });
    run.configure({ model: models[3]! });
    expect(await Promise.all([first, second, third])).toEqual(['One.', 'Two.', 'Three.']);
    expect(await run.retry()).toBe('Four.');
  });

  test('continue after one that fails', async () => {
    const { run } = open([[{ throw: 'No.' }], 'Two.']);
    const first = run.start('one');
    const second = run.start('two', { whenBusy: 'queue' });
    expect(await codeOf(first)).toBe('provider_error');
    expect(await second).toBe('Two.');
  });

  test('are dropped by a stop', async () => {
    const { run, model } = open([endless]);
    const first = run.start('one');
    const second = run.start('two', { whenBusy: 'queue' });
    await nextEvent(run, 'text-delta');
    run.stop();
    expect(run.getState().queued).toBe(0);
    expect(await codeOf(second)).toBe('aborted');
    expect(await codeOf(first)).toBe('aborted');
    await after(20);
    expect(model.calls).toHaveLength(1);
    expect(run.getState().status).toBe('stopped');
  });

  test('are removed one by one by their signals', async () => {
    const { run, asked } = open([slow('One.'), 'Three.']);
    const controller = new AbortController();
    const first = run.start('one');
    const second = run.start('two', { whenBusy: 'queue', signal: controller.signal });
    const third = run.start('three', { whenBusy: 'queue' });
    controller.abort();
    expect(run.getState().queued).toBe(1);
    expect(await codeOf(second)).toBe('aborted');
    expect(await Promise.all([first, third])).toEqual(['One.', 'Three.']);
    expect(asked()).toHaveLength(2);
  });

  test('are found by their key', async () => {
    const { run, model } = open([slow('One.'), 'Two.']);
    void run.start('one');
    const second = run.start('two', { whenBusy: 'queue', key: 'b' });
    expect(run.start('two', { whenBusy: 'queue', key: 'b' })).toBe(second);
    expect(run.start('two', { key: 'b' })).toBe(second);
    expect(run.getState().queued).toBe(1);
    expect(await second).toBe('Two.');
    expect(run.start('two', { key: 'b' })).toBeInstanceOf(Promise);
    expect(model.calls).toHaveLength(2);
  });

  test('can be started again with the key of a removed start', async () => {
    const { run } = open([slow('One.'), 'Two.']);
    const controller = new AbortController();
    void run.start('one');
    const taken = run.start('two', { whenBusy: 'queue', key: 'b', signal: controller.signal });
    controller.abort();
    expect(await codeOf(taken)).toBe('aborted');
    expect(await run.start('two', { whenBusy: 'queue', key: 'b' })).toBe('Two.');
  });

  test('keep the run busy between an end and the next start', async () => {
    const { run } = open([slow('One.'), slow('Two.'), 'Three.']);
    const late: Promise<unknown>[] = [];
    run.listen((event) => {
      if (event.type !== 'run-end' || late.length > 0) return;
      late.push(
        run.start('x', { whenBusy: 'reject' }).catch((error: { code: string }) => error.code),
        run.start('three', { whenBusy: 'queue' }),
      );
    });
    const first = run.start('one');
    const second = run.start('two', { whenBusy: 'queue' });
    expect(await Promise.all([first, second])).toEqual(['One.', 'Two.']);
    expect(await Promise.all(late)).toEqual(['busy', 'Three.']);
  });
});

describe('parallel starts', () => {
  test('both end, and the state and the listeners show only the newer one', async () => {
    const { run, heard } = open([slow('One.'), slow('Two.')]);
    const seen = new Set<string>();
    run.subscribe((state: RunState) => seen.add(state.text));
    const first = run.start('one');
    await nextEvent(run, 'step-start');
    const second = run.start('two', { whenBusy: 'parallel' });
    expect(run.getState()).toMatchObject({ status: 'running', phase: 'requesting' });
    expect(await Promise.all([first, second])).toEqual(['One.', 'Two.']);
    expect(run.getState()).toMatchObject({ status: 'done', text: 'Two.' });
    expect(ends(heard)).toEqual(['done']);
    expect(types(heard.filter(({ type }) => type === 'run-start'))).toHaveLength(2);
    await after(5);
    expect([...seen]).toEqual(['', 'Two.']);
  });

  test('are both ended by a stop', async () => {
    const { run, first } = await openBusy([endless, endless]);
    const second = run.start('two', { whenBusy: 'parallel' });
    await nextEvent(run, 'text-delta');
    run.stop();
    expect(await codeOf(first)).toBe('aborted');
    expect(await codeOf(second)).toBe('aborted');
  });

  test('are each found by their key', async () => {
    const { run, model } = open([slow('One.'), slow('Two.')]);
    const first = run.start('one', { key: 'a' });
    const second = run.start('two', { key: 'b', whenBusy: 'parallel' });
    expect(run.start('one', { key: 'a' })).toBe(first);
    expect(run.start('two', { key: 'b' })).toBe(second);
    await Promise.all([first, second]);
    expect(model.calls).toHaveLength(2);
  });

  test('let a queued start wait for the shown run, not for the detached one', async () => {
    const { run, heard, first } = await openBusy([endless, slow('Two.'), 'Three.']);
    const second = run.start('two', { whenBusy: 'parallel' });
    const third = run.start('three', { whenBusy: 'queue' });
    expect(await Promise.all([second, third])).toEqual(['Two.', 'Three.']);
    run.stop();
    expect(await codeOf(first)).toBe('aborted');
    expect(ends(heard)).toEqual(['done', 'done']);
  });
});

describe('the signal of a start', () => {
  test('ends it as stopped, and no later one', async () => {
    const { run, first, controller } = await openBusy([endless, 'Two.']);
    controller.abort();
    expect(await codeOf(first)).toBe('aborted');
    expect(run.getState().status).toBe('stopped');
    expect(await run.start('two')).toBe('Two.');
  });

  test('does nothing after the end', async () => {
    const { run } = open(['One.', slow('Two.')]);
    const controller = new AbortController();
    await run.start('one', { signal: controller.signal });
    const second = run.start('two');
    controller.abort();
    expect(await second).toBe('Two.');
  });

  test('prevents the start if it has already aborted', async () => {
    const { run, model, heard } = open(['One.']);
    expect(await codeOf(run.start('one', { signal: AbortSignal.abort() }))).toBe('aborted');
    expect(await codeOf(run.send('one', { signal: AbortSignal.abort() }))).toBe('aborted');
    expect(run.getState().status).toBe('idle');
    expect([model.calls.length, heard.length]).toEqual([0, 0]);
  });

  test('ends a send', async () => {
    const { run } = open(['One.', endless]);
    await run.start('one');
    const controller = new AbortController();
    const sent = run.send('more', { signal: controller.signal });
    await nextEvent(run, 'text-delta');
    controller.abort();
    expect(await codeOf(sent)).toBe('aborted');
  });
});

describe('the key of a start', () => {
  test('belongs to the conversation, and returns the promise of the latest turn', async () => {
    const { run, model } = open(['One.', [{ throw: 'No.' }], 'Three.']);
    await run.start('one', { key: 'a' });
    const sent = run.send('more');
    expect(run.start('one', { key: 'a' })).toBe(sent);
    expect(await codeOf(sent)).toBe('provider_error');
    const again = run.retry();
    expect(run.start('one', { key: 'a' })).toBe(again);
    expect(await again).toBe('Three.');
    expect(model.calls).toHaveLength(3);
  });

  test('is another one for each later turn', async () => {
    const keys: unknown[] = [];
    const run = createRun(say, {
      executor: {
        async *start({ key, definition }) {
          keys.push(key);
          const start = { v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' } as const;
          yield { seq: 0, t: 0, type: 'run-start', name: definition.name, ...start };
          yield { seq: 1, t: 0, type: 'run-end', outcome: 'error' };
        },
      },
    });
    await run.start('one').catch(() => {});
    await run.retry().catch(() => {});
    await run.start('one', { key: 'a' }).catch(() => {});
    await run.send('more').catch(() => {});
    await run.retry().catch(() => {});
    expect(keys[2]).toBe('a');
    expect(new Set(keys).size).toBe(5);
    expect(keys).not.toContain(undefined);
  });

  test('can start again after it was replaced', async () => {
    const { run } = open([endless, 'Two.', 'One.']);
    const first = run.start('one', { key: 'a' });
    await nextEvent(run, 'text-delta');
    await run.start('two', { key: 'b' });
    expect(await codeOf(first)).toBe('aborted');
    expect(await run.start('one', { key: 'a' })).toBe('One.');
  });
});
