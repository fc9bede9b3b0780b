import { createRun, definePrompt, type Executor, type RunEvent, type RunState } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { inLog, runStart } from '../log/any-events.ts';
import { throwing, types } from '../support.ts';
import { after, atOnce, codeOf, nextEvent, ran } from '../support/runs.ts';

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
    const { run, model } = await ran(hello, ['Hello.', 'Again.', 'And again.']);
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
  const [begin] = inLog([runStart]) as [RunEvent];

  test.each<[string, Executor['start'], code: string, message: string]>([
    [
      'ends without run-end',
      async function* () {
        yield begin;
      },
      'stream_truncated',
      'ended',
    ],
    [
      'throws in its events',
      async function* () {
        yield* [];
        throw new Error('Gone.');
      },
      'script_error',
      'Gone.',
    ],
    ['throws before its events', throwing(new Error('Not here.')), 'script_error', 'Not here.'],
  ])('and %s ends the run with an error', async (_what, start, code, message) => {
    const run = createRun(hello, { executor: { start } });
    const heard: string[] = [];
    run.listen(({ type }) => heard.push(type));
    const error = { code, message: expect.stringContaining(message) as string };
    await expect(run.start()).rejects.toMatchObject(error);
    expect(run.getState()).toMatchObject({ status: 'error', error });
    expect(heard).toEqual(['run-start', 'run-end']);
  });

  test('and continues after run-end is not read', async () => {
    const start: Executor['start'] = async function* () {
      yield* inLog([
        runStart,
        { type: 'run-end', outcome: 'done', finishReason: 'stop' },
        { type: 'warning', message: 'late' },
      ]);
    };
    const run = createRun(hello, { executor: { start } });
    await run.start();
    expect(run.log()).toHaveLength(2);
  });

  test.each<[string, (resolve: () => void, reject: (error: Error) => void) => void]>([
    ['ignores its signal', () => {}],
    ['throws when its signal aborts', (_resolve, reject) => reject(new Error('The fetch was aborted.'))],
    ['sends nothing more when its signal aborts', (resolve) => resolve()],
  ])('and %s can be stopped', async (_what, onAbort) => {
    const start: Executor['start'] = async function* (_request, signal) {
      yield begin;
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => onAbort(resolve, reject));
      });
    };
    const run = createRun(hello, { executor: { start } });
    const text = run.start();
    await nextEvent(run, 'run-start');
    run.stop();
    expect(await codeOf(text)).toBe('aborted');
    expect(run.getState().status).toBe('stopped');
  });
});
