import type { CuelineError } from '@cueline/core';
import { createRun, definePrompt, type Executor, type RunEvent, type RunState } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { types } from '../support.ts';
import { after, atOnce, codeOf } from '../support/runs.ts';

const hello = definePrompt('hello', (prompt) => prompt.$`Hi.`);

describe('a run that can be started', () => {
  test('is idle, then running at once, then done', async () => {
    const run = createRun(hello, { model: scriptedModel(['Hello.']), schedule: atOnce });
    expect(run.getState().status).toBe('idle');
    const seen: RunState['status'][] = [];
    run.subscribe((state) => seen.push(state.status));
    const text = run.start();
    expect(run.getState()).toMatchObject({ status: 'running', phase: 'requesting' });
    expect(await text).toBe('Hello.');
    await after(5);
    expect(seen[0]).toBe('running');
    expect(seen.at(-1)).toBe('done');
  });

  test('starts once for the same key', async () => {
    const model = scriptedModel(['One.', 'Two.']);
    const run = createRun(hello, { model });
    const first = run.start(undefined, { key: 'mount' });
    expect(run.start(undefined, { key: 'mount' })).toBe(first);
    await first;
    expect(run.start(undefined, { key: 'mount' })).toBe(first);
    expect(model.calls).toHaveLength(1);
    expect(await run.start(undefined, { key: 'again' })).toBe('Two.');
  });

  test('is stopped by another start', async () => {
    const model = scriptedModel([[{ text: 'slow' }, { delay: 5_000 }], 'Second.']);
    const run = createRun(hello, { model });
    const first = run.start();
    await new Promise<void>((resolve) => {
      const unlisten = run.listen((event) => {
        if (event.type !== 'text-delta') return;
        unlisten();
        resolve();
      });
    });
    const second = run.start();
    expect(await codeOf(first)).toBe('aborted');
    expect(await second).toBe('Second.');
    expect(run.getState().text).toBe('Second.');
  });

  test('can be stopped before the first event and in the middle', async () => {
    const run = createRun(hello, { model: scriptedModel([[{ text: 'a' }, { delay: 5_000 }], 'b']) });
    const early = run.start();
    run.stop();
    expect(run.getState().status).toBe('stopped');
    expect(await codeOf(early)).toBe('aborted');
    const late = run.start();
    run.listen((event) => {
      if (event.type === 'step-start') run.stop();
    });
    expect(await codeOf(late)).toBe('aborted');
    expect(types(run.log()).filter((type) => type === 'run-end')).toHaveLength(1);
    run.stop();
  });

  test('shows a failure in its state, and an ignored promise causes no unhandled rejection', async () => {
    const run = createRun(hello, { model: 'nobody:x' });
    expect(await codeOf(run.start())).toBe('unknown_model');
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'unknown_model' } });
    void run.start();
    await expect.poll(() => run.getState().status).toBe('error');
  });

  test('continues its conversation with send: the model reads every turn', async () => {
    const model = scriptedModel(['Hello.', 'Again.', 'And again.']);
    const run = createRun(hello, { model });
    await run.start();
    await run.send('Once more.');
    await run.send({ parts: [{ type: 'text', text: 'And more.' }] });
    const sent = model.calls[2]!.prompt.map((message) => [
      message.role,
      (message.content as { text: string }[]).map((part) => part.text).join(''),
    ]);
    expect(sent).toEqual([
      ['user', 'Hi.'],
      ['assistant', 'Hello.'],
      ['user', 'Once more.'],
      ['assistant', 'Again.'],
      ['user', 'And more.'],
    ]);
    const messages = run.getState().messages;
    expect(messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(new Set(messages.map((message) => message.id)).size).toBe(6);
  });

  test.each([
    ['nothing', undefined],
    ['a number', 42],
    ['an empty text', ' '],
    ['a message of the AI SDK for models', { role: 'user', content: 'Hello?' }],
    ['parts without a type', { parts: ['Hello?'] }],
    ['no parts', { parts: [] }],
  ])('rejects send with %s, says what to send, and changes nothing', async (_what, message) => {
    const model = scriptedModel(['Hello.', 'Again.']);
    const run = createRun(hello, { model });
    await run.start();
    const before = run.getState();
    const error = await run.send(message as string).catch((thrown: unknown) => thrown as CuelineError);
    expect(error).toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining("send('Hello!')") as string,
    });
    expect(run.getState()).toBe(before);
    expect(model.calls).toHaveLength(1);
  });

  test('does not start the conversation again for the key of its first start', async () => {
    const model = scriptedModel(['Hello.', 'Again.']);
    const run = createRun(hello, { model });
    await run.start(undefined, { key: 'mount' });
    await run.send('Once more.');
    await run.start(undefined, { key: 'mount' });
    expect(model.calls).toHaveLength(2);
    expect(run.getState().messages).toHaveLength(4);
  });

  test('does not send a turn that was stopped before its first word', async () => {
    const model = scriptedModel([[{ text: '' }, { delay: 5_000 }], 'Hello.']);
    const run = createRun(hello, { model });
    void run.start();
    await expect.poll(() => model.calls.length).toBe(1);
    run.stop();
    await expect.poll(() => run.getState().status).toBe('stopped');
    await run.send('Still there?');
    expect(model.calls[1]!.prompt.map((message) => message.role)).toEqual(['user', 'user']);
  });

  test('shows the message of send at once', () => {
    const run = createRun(hello, { model: scriptedModel(['Hello.']) });
    void run.send('Anyone there?');
    expect(run.getState().messages.at(-1)).toMatchObject({
      role: 'user',
      parts: [{ type: 'text', text: 'Anyone there?' }],
    });
    run.stop();
  });
});

describe('an executor that misbehaves', () => {
  const start: RunEvent = {
    seq: 0,
    t: 0,
    type: 'run-start',
    v: 2,
    runId: 'r',
    model: 'm',
    messages: [],
    messageId: 'a',
  };
  const executor = (body: () => AsyncGenerator<RunEvent>): Executor => ({ start: body });

  test('that ends without run-end', async () => {
    const run = createRun(hello, {
      executor: executor(async function* () {
        yield start;
      }),
    });
    expect(await codeOf(run.start())).toBe('stream_truncated');
    expect(run.getState().status).toBe('error');
  });

  test('that throws', async () => {
    const run = createRun(hello, {
      // eslint-disable-next-line require-yield
      executor: executor(async function* () {
        throw new Error('gone');
      }),
    });
    expect(await codeOf(run.start())).toBe('script_error');
    expect(run.getState().status).toBe('error');
  });

  test('that continues after run-end', async () => {
    const run = createRun(hello, {
      executor: executor(async function* () {
        yield start;
        yield { seq: 1, t: 1, type: 'run-end', outcome: 'done', finishReason: 'stop' };
        yield { seq: 2, t: 2, type: 'warning', message: 'late' };
      }),
    });
    await run.start();
    expect(run.log()).toHaveLength(2);
  });

  test('that ignores its signal', async () => {
    const run = createRun(hello, {
      executor: executor(async function* () {
        yield start;
        await new Promise(() => {});
      }),
    });
    const text = run.start();
    await after(5);
    run.stop();
    expect(await codeOf(text)).toBe('aborted');
    expect(run.getState().status).toBe('stopped');
  });
});
