import { createRun, definePrompt, tool, type Run, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, json } from '../support.ts';
import { codeOf, memoryStorage, nextEvent } from '../support/runs.ts';

const look = (what: string): ScriptedTurn => [call('look', { what }, `look-${what}`)];

function open(turns: readonly ScriptedTurn[]) {
  const looked: string[] = [];
  const model = scriptedModel(turns);
  const research = definePrompt('research', (prompt, topic: string) => {
    prompt.defTool('look', 'Looks', z.object({ what: z.string() }), ({ what }) => {
      looked.push(what);
      return what;
    });
    prompt.$`Look into ${topic}.`;
  });
  return { run: createRun(research, { model }), model, looked };
}

/** The place of the nth event of a type. */
function place(run: Pick<Run<never>, 'log'>, type: RunEvent['type'], nth = 0): number {
  return run.log().filter((event) => event.type === type)[nth]!.seq;
}

describe('a fork', () => {
  test('has the log of the run, and continues without changing the run', async () => {
    const { run, model, looked } = open([look('left'), look('right'), 'Nothing.', look('up'), 'Dark.']);
    await run.start('caves');
    const log = json(run.log());
    const state = run.getState();
    const fork = run.fork(place(run, 'step-end'));
    expect(fork.id).not.toBe(run.id);
    expect(fork.definition).toBe(run.definition);
    expect(fork.getState()).toMatchObject({ status: 'stopped', toolCalls: [{ toolCallId: 'look-left' }] });
    expect(fork.log().slice(0, -1)).toEqual(run.log().slice(0, fork.log().length - 1));
    expect(fork.log().at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    expect(await fork.retry()).toBe('Dark.');
    expect(looked).toEqual(['left', 'right', 'up']);
    expect(json(model.calls[3]?.prompt)).toEqual(json(model.calls[1]?.prompt));
    expect(fork.getState().toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(['look-left', 'look-up']);
    expect(json(run.log())).toEqual(log);
    expect(run.getState()).toBe(state);
  });

  test('of the whole run continues the conversation independently', async () => {
    const { run, model } = open(['One.', 'Two.', 'Two, otherwise.']);
    await run.start('caves');
    const fork = run.fork();
    expect(fork.log()).toEqual(run.log());
    expect(fork.getState()).toStrictEqual(run.getState());
    expect(await run.send('Go on.')).toBe('Two.');
    expect(await fork.send('Go elsewhere.')).toBe('Two, otherwise.');
    const said = (call: number): unknown => json(model.calls[call]?.prompt.at(-1)?.content);
    expect([said(1), said(2)]).toEqual([
      [{ type: 'text', text: 'Go on.' }],
      [{ type: 'text', text: 'Go elsewhere.' }],
    ]);
    expect(run.getState().messages).toHaveLength(4);
    expect(fork.getState().messages).toHaveLength(4);
  });

  test('in the middle of a text has the beginning of the text', async () => {
    const model = scriptedModel(['One two three.', 'Four.'], { chunkSize: 4 });
    const run = createRun(
      definePrompt('count', (prompt) => prompt.$`Count.`),
      { model },
    );
    await run.start();
    const fork = run.fork(place(run, 'text-delta', 1));
    expect(fork.getState()).toMatchObject({ status: 'stopped', text: 'One two ' });
    expect(await fork.send('Go on.')).toBe('Four.');
    expect(json(model.calls[1]?.prompt.map(({ role }) => role))).toEqual(['user', 'assistant', 'user']);
  });

  test('can be forked', async () => {
    const { run, looked } = open([look('left'), look('right'), 'Nothing.', 'Dark.', 'Light.']);
    await run.start('caves');
    const fork = run.fork(place(run, 'step-end', 1));
    const other = fork.fork(place(fork, 'step-end'));
    expect(await fork.retry()).toBe('Dark.');
    expect(await other.retry()).toBe('Light.');
    expect(fork.getState().toolCalls).toHaveLength(2);
    expect(other.getState().toolCalls).toHaveLength(1);
    expect(looked).toEqual(['left', 'right']);
  });

  test('can be made while the run continues', async () => {
    const { run } = open([look('left'), [{ text: 'Well' }, { delay: 30 }], 'From the fork.']);
    const result = run.start('caves');
    await nextEvent(run, (event) => event.type === 'text-delta');
    const fork = run.fork();
    expect(fork.getState()).toMatchObject({ status: 'stopped', text: 'Well' });
    expect(run.getState().status).toBe('running');
    const forked = await fork.retry();
    expect(forked).toBe('From the fork.');
    expect(await result).toBe('Well');
    expect(run.log().some(({ type }) => type === 'run-resume')).toBe(false);
  });

  test('before the first event, or of a run that has not begun, is idle', async () => {
    const { run } = open(['One.', 'Two.', 'Three.']);
    expect(run.fork().getState().status).toBe('idle');
    await run.start('caves');
    const fork = run.fork(-1);
    expect(fork.getState()).toStrictEqual(fork.at(-1));
    expect(await codeOf(fork.retry())).toBe('invalid_options');
    expect(await fork.start('hills')).toBe('Two.');
  });

  test('has the original input, not its copy in the log', async () => {
    const seen: unknown[] = [];
    const model = scriptedModel(['One.', 'Two.']);
    const run = createRun(
      definePrompt('map', (prompt, input: Map<string, number>) => {
        seen.push(input);
        prompt.$`Go.`;
      }),
      { model },
    );
    const input = new Map([['a', 1]]);
    await run.start(input);
    await run.fork().retry();
    expect(seen).toEqual([input, input]);
    expect(seen[1]).toBe(input);
  });

  test('has the settings of the run, which can be changed separately', async () => {
    const { run, model } = open(['One.', 'Two.']);
    await run.start('caves');
    const other = scriptedModel(['Other.']);
    const fork = run.fork();
    fork.configure({ model: other });
    expect(await fork.retry()).toBe('Other.');
    expect(await run.retry()).toBe('Two.');
    expect(model.calls).toHaveLength(2);
  });

  test('has the functions for client tools that the run has now, and later ones separately', async () => {
    const ask: ScriptedTurn = [call('ask', {})];
    const model = scriptedModel(['One.', ask, 'Two.', ask, 'Three.']);
    const survey = definePrompt('survey', (prompt) => prompt.$`Go.`, {
      tools: [tool('ask', 'Asks the user', z.object({}), { outputSchema: z.string() })],
    });
    const run = createRun(survey, { model, tools: { ask: () => 'from the options' } });
    const remove = run.provideTools({ ask: () => 'from the component' });
    await run.start();
    const fork = run.fork();
    remove();
    await fork.send('Ask.');
    expect(fork.getState().toolCalls).toMatchObject([{ output: 'from the component' }]);
    fork.provideTools({ ask: () => 'from the fork' });
    await run.send('Ask.');
    expect(run.getState().toolCalls).toMatchObject([{ output: 'from the options' }]);
  });

  test('is stored under its own id once it continues', async () => {
    const storage = memoryStorage();
    const model = scriptedModel(['One.', 'Two.']);
    const run = createRun(
      definePrompt('stored', (prompt) => prompt.$`Go.`),
      { model, storage, id: 'trunk' },
    );
    await run.start();
    const fork = run.fork();
    fork.subscribe(() => {});
    await fork.restored;
    expect(storage.loads).toBe(2);
    expect([...storage.logs.keys()]).toEqual(['trunk']);
    await fork.retry();
    await expect.poll(() => storage.logs.get(fork.id)).toEqual(json(fork.log()));
    expect(storage.logs.get('trunk')).toEqual(json(run.log()));
  });
});
