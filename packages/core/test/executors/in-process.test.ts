import { definePrompt, inProcess, type RunEvent, type RunRequest } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { types } from '../support.ts';

const ask = definePrompt('ask', (prompt) => {
  prompt.defTool('send', 'Sends', z.object({}), () => 'sent', { effect: 'external' });
  prompt.$`Send it.`;
});

const turns: ScriptedTurn[] = [[{ toolCall: { name: 'send', input: {} } }], 'Done.'];
const waiting = (model = scriptedModel(turns)): RunRequest => ({
  definition: ask as never,
  input: undefined,
  model,
  options: { approval: true },
});
const never = (): AbortSignal => new AbortController().signal;

async function all(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const seen: RunEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** Reads until an event of this type, and leaves the iterator where it is. */
async function readTo(iterator: AsyncIterator<RunEvent>, type: RunEvent['type']): Promise<RunEvent[]> {
  const seen: RunEvent[] = [];
  while (seen.at(-1)?.type !== type) {
    const next = await iterator.next();
    if (next.done === true) throw new Error(`The events ended before ${type}.`);
    seen.push(next.value);
  }
  return seen;
}

/** A run that waits for an approval, and what it has said so far. */
async function openRun(model = scriptedModel(turns), signal = never()) {
  const executor = inProcess();
  const iterator = executor.start(waiting(model), signal)[Symbol.asyncIterator]();
  const seen = await readTo(iterator, 'approval-request');
  const [first] = seen;
  const last = seen.at(-1);
  if (first?.type !== 'run-start' || last?.type !== 'approval-request') throw new Error('No request.');
  return { executor, iterator, seen, runId: first.runId, approvalId: last.approvalId };
}

describe('a run in this page', () => {
  test('continues without watchers, and can be watched again from any event', async () => {
    const model = scriptedModel(turns);
    const { executor, iterator, seen, runId, approvalId } = await openRun(model);
    await iterator.return?.();
    const again = executor.attach?.(runId, 2, never());
    expect(again).toBeDefined();
    await executor.send?.(runId, { type: 'approval-response', approvalId, response: { approved: true } });
    const rest = await all(again!);
    expect(rest.map(({ seq }) => seq)).toEqual(rest.map((_, index) => index + 3));
    expect(rest.slice(0, seen.length - 3)).toEqual(seen.slice(3));
    expect(rest.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(model.calls).toHaveLength(2);
  });

  test('releases its watcher at once, even while no event arrives', async () => {
    const { iterator, executor, runId } = await openRun();
    const pending = iterator.next();
    await iterator.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(executor.attach?.(runId, -1, never())).toBeDefined();
  });

  test('continues if its watcher leaves while it opens', async () => {
    const model = scriptedModel(['Hello.']);
    const iterator = inProcess().start(waiting(model), never())[Symbol.asyncIterator]();
    const pending = iterator.next();
    await iterator.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    await expect.poll(() => model.calls.length).toBe(1);
  });

  test('is stopped by the signal of a later watcher', async () => {
    const { executor, iterator, runId } = await openRun();
    await iterator.return?.();
    const controller = new AbortController();
    const rest = all(executor.attach!(runId, -1, controller.signal)!);
    controller.abort();
    expect((await rest).at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
  });

  test('is stopped if that signal has already aborted', async () => {
    const { executor, runId } = await openRun();
    const rest = await all(executor.attach!(runId, -1, AbortSignal.abort())!);
    expect(rest.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
  });

  test('is forgotten once its end has been read', async () => {
    const { executor, iterator, runId, approvalId } = await openRun();
    await executor.send?.(runId, { type: 'approval-response', approvalId, response: { approved: true } });
    await readTo(iterator, 'run-end');
    await expect.poll(() => executor.attach?.(runId, -1, never())).toBeUndefined();
    expect(executor.attach?.('nobody', -1, never())).toBeUndefined();
  });

  test('keeps its end for the next watcher if it ended without one', async () => {
    const { executor, iterator, seen, runId, approvalId } = await openRun();
    await iterator.return?.();
    await executor.send?.(runId, { type: 'approval-response', approvalId, response: { approved: false } });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const rest = await all(executor.attach!(runId, seen.length - 1, never())!);
    expect(rest[0]?.seq).toBe(seen.length);
    expect(rest.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    await expect.poll(() => executor.attach?.(runId, -1, never())).toBeUndefined();
  });

  test('is forgotten if many others have ended without watchers since', async () => {
    const executor = inProcess();
    const ids: string[] = [];
    const hello = definePrompt('hello', (prompt) => prompt.$`Hi.`) as never;
    const begin = async (): Promise<void> => {
      const request: RunRequest = { definition: hello, input: undefined, model: scriptedModel(['Hello.']) };
      const iterator = executor.start(request, never())[Symbol.asyncIterator]();
      const [first] = await readTo(iterator, 'run-start');
      if (first?.type === 'run-start') ids.push(first.runId);
      await iterator.return?.();
    };
    for (let count = 0; count < 40; count++) await begin();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await begin();
    const known = ids.filter((id) => executor.attach?.(id, -1, never()) !== undefined);
    expect(known).toEqual(ids.slice(-33));
  });

  test('reports when the functions of the prompt have really ended, which may be after the run', async () => {
    let endIt = (_error: Error): void => {};
    const deaf = new Promise<string>((_resolve, reject) => (endIt = reject));
    let working = 0;
    const executor = inProcess(
      {},
      {
        onWork(work) {
          working += 1;
          void work.then(() => (working -= 1));
        },
      },
    );
    const definition = definePrompt('deaf', (prompt) => {
      prompt.defTool('send', 'Sends', z.object({}), () => deaf);
      prompt.$`Send it.`;
    });
    const aborting = new AbortController();
    const request: RunRequest = {
      definition: definition as never,
      input: undefined,
      model: scriptedModel(turns),
    };
    const run = executor.start(request, aborting.signal)[Symbol.asyncIterator]();
    await readTo(run, 'tool-start');
    aborting.abort();
    const [end] = (await readTo(run, 'run-end')).slice(-1);
    expect(end).toMatchObject({ outcome: 'stopped' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(working).toBe(1);
    endIt(new Error('too late'));
    await expect.poll(() => working).toBe(0);
  });

  test('is not known to another executor', async () => {
    const { runId } = await openRun();
    expect(inProcess().attach?.(runId, -1, never())).toBeUndefined();
  });

  test.each<[unknown, string]>([
    [{ provider: {} }, 'models has no "provider". Did you mean providers?'],
    [{ openai: 'key' }, 'models has no "openai". There are: env, providers, fetch, packages, wrapModel.'],
    ['openai', "models takes an object, but got 'openai'. Write { … }."],
  ])('ends with what to write if its models are %j', async (models, message) => {
    const ended = await all(inProcess(models as object).start(waiting(), never()));
    expect(ended.at(-1)).toMatchObject({ outcome: 'error', error: { code: 'invalid_options', message } });
  });

  test('has a log of two events if it is stopped while it opens, or cannot start', async () => {
    const stopped = await all(inProcess().start(waiting(), AbortSignal.abort()));
    expect(types(stopped)).toEqual(['run-start', 'run-end']);
    expect(stopped[1]).toMatchObject({ seq: 1, outcome: 'stopped' });
    const failed = await all(inProcess().start({ ...waiting(), model: 'nobody:x' }, never()));
    expect(types(failed)).toEqual(['run-start', 'run-end']);
    expect(failed[1]).toMatchObject({ outcome: 'error', error: { code: 'unknown_model' } });
  });
});
