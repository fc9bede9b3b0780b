import { createRun, definePrompt, inProcess, runPrompt, type Prompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { play, types } from '../support.ts';
import { after } from '../support/runs.ts';

/** A prompt function that takes its time, or for ever. */
function slow(done: Promise<unknown>) {
  return async (prompt: Prompt): Promise<void> => {
    await done;
    prompt.$`Hi.`;
  };
}
const never = new Promise(() => {});

// the runner is loaded with the first run, which takes its time
beforeAll(async () => {
  await play((prompt) => prompt.$`Hi.`, ['Hi.']);
});

describe('a stop while the prompt function runs', () => {
  test('ends runPrompt with the reason of the signal, and calls no model', async () => {
    const model = scriptedModel(['Never.']);
    for (const done of [() => never, () => after(20)]) {
      const controller = new AbortController();
      const started = runPrompt(slow(done()), { model, options: { abortSignal: controller.signal } });
      setTimeout(() => controller.abort('enough'), 5);
      await expect(started).rejects.toBe('enough');
    }
    await after(10);
    expect(model.calls).toEqual([]);
  });

  test('with a signal that has already aborted, does not wait for a function that hangs', async () => {
    const model = scriptedModel(['Never.']);
    const options = { abortSignal: AbortSignal.abort('enough') };
    await expect(runPrompt(slow(never), { model, options })).rejects.toBe('enough');
  });

  test('by run.stop() of createRun ends the run, whether the function then ends or not', async () => {
    for (const done of [() => never, () => after(20)]) {
      const model = scriptedModel(['Never.']);
      const run = createRun(definePrompt('slow', slow(done())), { model });
      const text = run.start();
      await after(10);
      run.stop();
      await expect(text).rejects.toMatchObject({ code: 'aborted' });
      await after(30);
      expect(run.getState().status).toBe('stopped');
      expect(types(run.log()).at(-1)).toBe('run-end');
      expect(model.calls).toEqual([]);
    }
  });

  test('is reported by an executor', async () => {
    const controller = new AbortController();
    const model = scriptedModel(['Never.']);
    const request = { definition: definePrompt('slow', slow(never)), input: undefined, model };
    setTimeout(() => controller.abort(), 5);
    const events = [];
    for await (const event of inProcess().start(request as never, controller.signal)) events.push(event);
    expect(types(events)).toEqual(['run-start', 'run-end']);
    expect(events[1]).toEqual({ seq: 1, t: 0, type: 'run-end', outcome: 'stopped' });
  });
});
