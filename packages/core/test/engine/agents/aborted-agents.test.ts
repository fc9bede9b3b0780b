import { reduceAll, runPrompt, type RunHandle } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, json, types } from '../../support.ts';
import { down, failOnUnhandledRejections, none, threeLevels } from '../../support/agent-trees.ts';
import { after } from '../../support/runs.ts';

failOnUnhandledRejections();

/** Every promise that the AI SDK's result has, by name. */
function promisesOf(result: object): Record<string, Promise<unknown>> {
  const found: Record<string, Promise<unknown>> = {};
  for (
    let level: object = result;
    level !== Object.prototype;
    level = Object.getPrototypeOf(level) as object
  ) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (get === undefined || /stream/i.test(name)) continue;
      const value: unknown = (result as Record<string, unknown>)[name];
      if (value instanceof Promise) found[name] = value;
      else if (typeof (value as PromiseLike<unknown> | undefined)?.then === 'function') {
        found[name] = Promise.resolve(value);
      }
    }
  }
  return found;
}

describe('an agent tree that is aborted at its deepest tool, which ignores its signal', () => {
  async function abortedAt(
    abort: (run: RunHandle, controller: AbortController) => void,
    turns: readonly ScriptedTurn[] = [...down, 'Never.', 'Never.', 'Never.'],
  ) {
    const controller = new AbortController();
    const model = scriptedModel(turns);
    let signal: AbortSignal | undefined;
    const { run, result } = await runPrompt(
      threeLevels((given) => {
        signal = given;
        setTimeout(() => abort(run, controller), 5);
        return new Promise(() => {});
      }),
      { model, options: { abortSignal: controller.signal } },
    );
    const promises = promisesOf(result);
    expect(Object.keys(promises)).toEqual(
      expect.arrayContaining([
        'text',
        'usage',
        'steps',
        'toolCalls',
        'toolResults',
        'finishReason',
        'response',
      ]),
    );
    const settled = Promise.all(
      Object.entries(promises).map(async ([name, promise]) => {
        try {
          await promise;
          return `${name} resolves`;
        } catch {
          return `${name} rejects`;
        }
      }),
    );
    const state = await run.finished;
    const { length } = run.log();
    const outcomes = await settled;
    await after(30);
    expect(run.log()).toHaveLength(length);
    expect(model.calls).toHaveLength(3);
    return { state, outcomes, events: run.log(), signal };
  }

  test.each<[string, (run: RunHandle, controller: AbortController) => void, reason: unknown]>([
    ['run.stop()', (run) => run.stop(), expect.objectContaining({ code: 'aborted' })],
    ['options.abortSignal', (_run, controller) => controller.abort('the page was left'), 'the page was left'],
  ])('by %s', async (_how, abort, reason) => {
    const { state, outcomes, events, signal } = await abortedAt(abort);
    expect(state.status).toBe('stopped');
    expect(outcomes.filter((outcome) => outcome.endsWith('resolves'))).toEqual([]);
    expect(signal?.reason).toEqual(reason);
    expect(events.filter(({ type }) => type === 'run-end')).toEqual([events.at(-1)]);
    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    expect(state.agents.map(({ path, status }) => [path, status])).toEqual([
      ['call-0-0', 'stopped'],
      ['call-0-0/call-1-0', 'stopped'],
    ]);
    const calls = [state, ...state.agents].flatMap(({ toolCalls }) => toolCalls);
    expect(calls.map(({ toolName, state }) => `${toolName} ${state}`)).toEqual([
      'outer interrupted',
      'inner interrupted',
      'work interrupted',
    ]);
    expect(reduceAll(json(events))).toEqual(state);
  });

  test('while a tool beside it has ended and another one waits for a permit', async () => {
    let release = 0;
    const { run } = await runPrompt(
      go((prompt) =>
        prompt.defAgent('outer', '', none, (_args, own) => {
          own.defTool('wait', '', z.object({ n: z.number() }), ({ n }) => {
            release += 1;
            if (n === 0) return 'at once';
            setTimeout(() => run.stop(), 5);
            return new Promise(() => {});
          });
          own.$`Wait.`;
        }),
      ),
      {
        model: scriptedModel([[call('outer')], [0, 1, 2, 3].map((n) => call('wait', { n }))]),
        options: { limits: { concurrentToolCalls: 2 } },
      },
    );
    const state = await run.finished;
    expect(state.status).toBe('stopped');
    expect(state.agents[0]!.toolCalls.map(({ state }) => state)).toEqual([
      'output-available',
      'interrupted',
      'interrupted',
      'interrupted',
    ]);
    await after(20);
    expect(release).toBe(3);
  });

  test('sends nothing while the agent’s function is still running', async () => {
    const model = scriptedModel([[call('slow')], 'Never.']);
    const { run } = await runPrompt(
      go((prompt) =>
        prompt.defAgent('slow', '', none, async (_args, own) => {
          run.stop();
          await after(10);
          own.$`Late.`;
        }),
      ),
      { model },
    );
    const state = await run.finished;
    await after(30);
    expect(model.calls).toHaveLength(1);
    expect(types(run.log()).at(-1)).toBe('run-end');
    expect(state.agents).toEqual([]);
  });
});
