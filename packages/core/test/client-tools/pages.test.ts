import { createRun, CuelineError, viaRoute, type Executor, type ClientToolOptions } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHub } from '../support/memory-route.ts';
import { after, atOnce } from '../support/runs.ts';
import { file, opened, picks, prompt, setUp } from './files.ts';

describe('Several pages', () => {
  test('Functions that are registered later are used until they are removed', async () => {
    const { executor } = setUp([picks, picks, picks, 'Thanks.']);
    const run = createRun(prompt({ repeatable: true }), {
      executor,
      schedule: atOnce,
      tools: { pickFile: () => 'first' },
    });
    const takeBack = run.provideTools({ pickFile: () => 'second' });
    run.listen((event) => event.type === 'tool-end' && takeBack());
    await run.start();
    expect(run.getState().toolCalls.map(({ output }) => output)).toEqual(['second', 'first', 'first']);
  });

  test('two run objects in one page run a call once', async () => {
    const { executor } = createHub(prompt(), { model: scriptedModel([picks, 'Thanks.']) });
    const pickFile = vi.fn<() => Promise<typeof file>>(async () => {
      await after(30);
      return file;
    });
    const one = createRun(prompt(), { executor, schedule: atOnce });
    const result = one.start();
    await opened(one);
    const other = createRun(prompt(), { executor, schedule: atOnce, log: one.log(), tools: { pickFile } });
    await other.restored;
    one.provideTools({ pickFile });
    expect(await result).toBe('Thanks.');
    expect(pickFile).toHaveBeenCalledOnce();
  });

  /** A run whose call the page `other` has begun, taken up by this page. */
  async function takenUp(effect: 'read' | 'write' | undefined, other: string) {
    const options: ClientToolOptions = effect === undefined ? {} : { effect };
    const { executor } = setUp();
    const first = createRun(prompt(options), { executor, schedule: atOnce });
    const result = first.start();
    const { clientCallId } = await opened(first);
    const { runId } = first.getState();
    const begin = { type: 'client-tool-claim', clientCallId, page: other } as const;
    expect(await executor.send!(runId, begin)).toEqual({ accepted: true });
    expect(await executor.send!(runId, { ...begin, page: 'third' })).toEqual({
      accepted: false,
      reason: 'Another page already runs pickFile.',
    });
    expect(await executor.send!(runId, begin)).toEqual({ accepted: true });
    first.detach();
    const pickFile = vi.fn<() => typeof file>(() => file);
    const run = createRun(prompt(options), {
      executor,
      schedule: atOnce,
      log: first.log(),
      tools: { pickFile },
    });
    await run.restored;
    return { run, first, result, pickFile, clientCallId };
  }

  /** Is there, as another page is, until the returned function is called. */
  async function beThere(page: string): Promise<() => void> {
    let leave = (): void => {};
    await new Promise<void>((there) => {
      void navigator.locks.request(`cueline:${page}`, () => {
        there();
        return new Promise<void>((resolve) => (leave = resolve));
      });
    });
    return leave;
  }

  test('a call that another page runs waits for that page', async () => {
    const leave = await beThere('page-1');
    const { run, pickFile, clientCallId } = await takenUp('read', 'page-1');
    await after(30);
    expect(pickFile).not.toHaveBeenCalled();
    expect(await run.respondToClientTool(clientCallId, { output: file })).toEqual({ accepted: true });
    await expect.poll(() => run.getState().status).toBe('done');
    leave();
    await after(10);
    expect(pickFile).not.toHaveBeenCalled();
  });

  test('a call that only reads runs again once its page is closed', async () => {
    const leave = await beThere('page-2');
    const { run, pickFile } = await takenUp('read', 'page-2');
    leave();
    await expect.poll(() => run.getState().status).toBe('done');
    expect(pickFile).toHaveBeenCalledOnce();
  });

  test.each(['write', undefined] as const)(
    'a call with the effect %s does not run again, because it may have taken effect',
    async (effect) => {
      const { run, pickFile } = await takenUp(effect, `page-3-${effect}`);
      await expect.poll(() => run.getState().status).toBe('done');
      expect(pickFile).not.toHaveBeenCalled();
      expect(run.getState().toolCalls[0]?.errorText).toBe(
        'The page that ran pickFile was closed or reloaded before it answered, so it is unknown whether the call took effect.',
      );
    },
  );

  test('a page that learns too late that a closed page began the call answers it as interrupted', async () => {
    const { executor } = setUp();
    const late: Executor = {
      ...executor,
      async send(runId, command) {
        // the beginning by the other page arrives while this page asks for its own
        if (command.type === 'client-tool-claim') {
          await executor.send!(runId, { ...command, page: 'page-gone' });
          await after(20);
        }
        return executor.send!(runId, command);
      },
    };
    const pickFile = vi.fn<() => typeof file>(() => file);
    const run = createRun(prompt({}), { executor: late, schedule: atOnce, tools: { pickFile } });
    expect(await run.start()).toBe('Thanks.');
    expect(pickFile).not.toHaveBeenCalled();
    expect(run.getState().toolCalls[0]?.errorText).toContain('it is unknown whether the call took effect');
  });

  describe('pages of several browsers', () => {
    // each has locks and a storage of its own
    const notes: Record<string, string> = {};
    const storage = {
      get: () => notes,
      configurable: true,
    };
    beforeAll(
      () =>
        void Object.defineProperty(notes, 'setItem', {
          value: (key: string, value: string) => void (notes[key] = value),
        }),
    );
    beforeEach(() => void Object.defineProperty(globalThis, 'localStorage', storage));
    afterEach(() => void Reflect.deleteProperty(globalThis, 'localStorage'));

    test('a call that a page of another browser began is left to that page', async () => {
      const { run, pickFile, clientCallId } = await takenUp(undefined, 'page-elsewhere');
      await after(30);
      expect(run.getState().status).toBe('waiting');
      expect(await run.respondToClientTool(clientCallId, { output: file })).toEqual({ accepted: true });
      await expect.poll(() => run.getState().status).toBe('done');
      expect(pickFile).not.toHaveBeenCalled();
    });

    test('a call that a closed page of this browser began is taken over', async () => {
      notes['cueline:page-before'] = String(Date.now());
      const { run, pickFile } = await takenUp('read', 'page-before');
      await expect.poll(() => run.getState().status).toBe('done');
      expect(pickFile).toHaveBeenCalledOnce();
    });
  });
});

describe('a broken connection', () => {
  test.each(['client-tool-claim', 'client-tool-response'])(
    'neither loses a call nor runs it twice while %s is sent',
    async (lost) => {
      const model = scriptedModel([picks, 'Thanks.']);
      const hub = createHub(prompt(), { model });
      const pickFile = vi.fn<() => typeof file>(() => file);
      let breaks = 1;
      const fetch = async (request: Request): Promise<Response> => {
        const isIt = (await request.clone().text()).includes(`"type":"${lost}"`);
        const response = await hub.fetch(request);
        // it arrived, and no reply comes
        if (isIt && breaks-- > 0) throw new TypeError('reset');
        return response;
      };
      const executor = viaRoute('https://example.test/', { fetch });
      const run = createRun(prompt(), { executor, schedule: atOnce, tools: { pickFile } });
      expect(await run.start()).toBe('Thanks.');
      expect(pickFile).toHaveBeenCalledOnce();
    },
  );

  /** Starts a run whose outputs meet this error the first `times` times that they are sent. */
  function hardToDeliver(error: CuelineError, times: number) {
    const { executor } = setUp();
    const sent: unknown[] = [];
    const breaking: Executor = {
      ...executor,
      send(runId, command) {
        if (command.type === 'client-tool-response') sent.push(command.response);
        if (command.type === 'client-tool-response' && sent.length <= times) throw error;
        return executor.send!(runId, command);
      },
    };
    const pickFile = vi.fn<() => typeof file>(() => file);
    const run = createRun(prompt(), { executor: breaking, schedule: atOnce, tools: { pickFile } });
    return { run, result: run.start(), sent, pickFile };
  }

  test('for a minute loses no output', async () => {
    vi.useFakeTimers();
    try {
      const broken = new CuelineError('network', 'The connection was reset.');
      const { result, run, sent, pickFile } = hardToDeliver(broken, 10);
      // the run loads its code meanwhile
      for (let seconds = 0; seconds < 3_000 && run.getState().status !== 'done'; seconds += 1) {
        await vi.advanceTimersByTimeAsync(1_000);
      }
      expect(await result).toBe('Thanks.');
      expect(sent).toEqual(Array.from({ length: 11 }, () => ({ output: file })));
      expect(run.getState().toolCalls[0]).toMatchObject({ state: 'output-available', output: file });
      expect(pickFile).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
  });

  test('is not blamed on a function whose output cannot be sent', async () => {
    const { result, run, sent } = hardToDeliver(new CuelineError('too_large', 'Send less.'), 1);
    expect(await result).toBe('Thanks.');
    const error = 'pickFile ran, but its output could not be sent: Send less.';
    expect(sent).toEqual([{ output: file }, { error }]);
    expect(run.getState().toolCalls[0]?.errorText).toBe(error);
  });
});
