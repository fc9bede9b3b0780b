import { createRun, definePrompt, reduceAll, runPrompt } from '@cueline/core';
import { defineAgent, runAgentSession } from '@cueline/core/agents';
import { toUIMessageStream } from '@cueline/core/ai-sdk';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, play, states } from '../support.ts';
import { lastMessage } from '../support/chat.ts';
import { codeOf, ran } from '../support/runs.ts';

const asked = definePrompt('asked', (prompt) => prompt.$`Go.`);
/** An answer without content that the provider ends with an error, and bills. */
const malformed = [{ finish: { reason: 'error' as const, usage: { inputTokens: 100, outputTokens: 10 } } }];
const busy = [{ throw: { message: 'Busy.', status: 503, headers: { 'retry-after': '0' } } }];

describe('a model call that fails before any of its answer arrives', () => {
  test('is retried, which the log and the state show', async () => {
    const run = createRun(asked, { model: scriptedModel([busy, busy, 'Whole.']) });
    expect(await run.start()).toBe('Whole.');
    const retries = run.log().filter((event) => event.type === 'retry');
    expect(retries).toMatchObject([
      { attempt: 2, maxAttempts: 3, delayMs: 0, offline: false, error: { code: 'overloaded' } },
      { attempt: 3, maxAttempts: 3, delayMs: 0, offline: false },
    ]);
    const [first] = retries;
    const after = reduceAll(run.log().slice(0, (first?.seq ?? 0) + 1));
    expect(after).toMatchObject({
      status: 'running',
      phase: 'retrying',
      retrying: { attempt: 2, maxAttempts: 3, delayMs: 0, at: first?.t, error: { code: 'overloaded' } },
    });
    expect(run.getState()).toMatchObject({ status: 'done', text: 'Whole.', steps: [{ step: 0 }] });
    expect(run.getState().retrying).toBeUndefined();
  });

  test('leaves no trace in our messages or those of the AI SDK', async () => {
    const { run } = await ran(asked, [busy, 'Whole.']);
    const last = await lastMessage(toUIMessageStream(run.log()));
    expect(last?.parts).toEqual(run.getState().messages.at(-1)?.parts);
    expect(last?.parts.map(({ type }) => type)).toEqual(['step-start', 'text']);
  });

  test('counts with its tokens, for the run and for its limit', async () => {
    const whole = [{ text: 'Whole.' }, { finish: { usage: { inputTokens: 100, outputTokens: 1 } } }];
    const { run } = await ran(asked, [malformed, whole]);
    expect(run.getState().usage).toEqual({ inputTokens: 200, outputTokens: 11, totalTokens: 211 });
    expect(run.getState().steps[0]?.usage).toMatchObject({ inputTokens: 100, outputTokens: 1 });
    const { state } = await play(
      go((prompt) => prompt.defAgent('helper', 'Helps', z.object({}), (_args, inner) => inner.$`Help.`)),
      [[call('helper')], malformed, 'Helped.', 'Done.'],
      { options: { limits: { tokens: 110 } } },
    );
    expect(state).toMatchObject({ status: 'error', error: { code: 'budget_exceeded' } });
    expect(state.agents[0]?.usage.inputTokens).toBeGreaterThan(100);
    expect(state.usage.inputTokens).toBeGreaterThan(state.agents[0]!.usage.inputTokens);
  });

  test('counts with its tokens after a part of its answer, too', async () => {
    const whole = [{ text: 'Whole.' }, { finish: { usage: { inputTokens: 100, outputTokens: 1 } } }];
    const model = scriptedModel([[{ text: 'Half' }, ...malformed], whole]);
    const run = createRun(asked, { model, options: { streamRetries: 1 } });
    expect(await run.start()).toBe('Whole.');
    expect(run.getState().usage).toEqual({ inputTokens: 200, outputTokens: 11, totalTokens: 211 });
  });

  test.each([
    ['without retries', { maxRetries: 0 }, 1],
    ['after its retries', { maxRetries: 1 }, 2],
    ['with streamRetries', { maxRetries: 0, streamRetries: 1 }, 2],
  ])('counts with its tokens as the last call of the run, %s', async (_what, options, calls) => {
    const model = scriptedModel([malformed, malformed]);
    const { run, result } = await runPrompt(asked, { model, options });
    expect(await codeOf(result.text)).toBe('stream_truncated');
    const { status, usage, error } = await run.finished;
    expect(status).toBe('error');
    expect(model.calls).toHaveLength(calls);
    expect(error?.details?.attempts).toBe('streamRetries' in options || calls === 1 ? undefined : calls);
    expect(usage).toMatchObject({ inputTokens: 100 * calls, outputTokens: 10 * calls });
  });

  test('of an agent or a session counts for the token limit when it was the last one', async () => {
    const { state } = await play(
      go((prompt) => prompt.defAgent('helper', 'Helps', z.object({}), (_args, inner) => inner.$`Help.`)),
      [[call('helper')], malformed, 'Done.'],
      { options: { limits: { tokens: 110 }, maxRetries: 0 } },
    );
    expect(state).toMatchObject({ status: 'error', error: { code: 'budget_exceeded' } });
    const complete = [call('task_complete', { summary: 'It is done.' })];
    const session = runAgentSession(scriptedModel([malformed, malformed, malformed, complete]), {
      systemPrompt: 'You work.',
    });
    const { completionReason, usage } = await session;
    expect(completionReason).toBe('task_complete');
    expect(usage.inputTokens).toBeGreaterThan(300);
  });

  test('is retried maxRetries times, and not again by the AI SDK', async () => {
    for (const maxRetries of [0, 1, 4]) {
      const model = scriptedModel(Array.from({ length: 9 }, () => busy));
      const run = createRun(asked, { model, options: { maxRetries } });
      expect(await codeOf(run.start())).toBe('overloaded');
      expect(model.calls).toHaveLength(maxRetries + 1);
    }
  });

  test('of an agent is retried, too, which its state shows', async () => {
    const { events, state } = await play(
      go((prompt) => prompt.defAgent('helper', 'Helps', z.object({}), (_args, inner) => inner.$`Help.`)),
      [[call('helper')], busy, 'Helped.', 'Done.'],
    );
    expect(state).toMatchObject({ status: 'done', text: 'Done.' });
    expect(events.filter(({ type }) => type === 'retry')).toMatchObject([{ agent: expect.any(String) }]);
    expect(states(events).some(({ agents }) => agents[0]?.phase === 'retrying')).toBe(true);
  });
});

describe('options.timeout', () => {
  const silent = [{ delay: 60_000 }, { text: 'Late.' }];

  test.each([
    ['firstChunkMs', [silent], { phase: 'first_chunk', ms: 30 }],
    ['chunkMs', [[{ text: 'Half' }, ...silent]], { phase: 'chunk', ms: 30 }],
  ])('%s ends the run as timeout', async (name, turns, details) => {
    const run = createRun(asked, { model: scriptedModel(turns), options: { timeout: { [name]: 30 } } });
    expect(await codeOf(run.start())).toBe('timeout');
    expect(run.getState().error).toMatchObject({ details });
  });

  test.each([
    [30, 'The run took longer than 0.03 s. Allow it more time: options.timeout.totalMs.', 'total'],
    [
      { totalMs: 29.5 },
      'The run took longer than 0.0295 s. Allow it more time: options.timeout.totalMs.',
      'total',
    ],
    [{ stepMs: 30 }, 'A step took longer than 0.03 s. Allow it more time: options.timeout.stepMs.', 'step'],
  ])('%j ends the run with an error that names the limit', async (timeout, message, phase) => {
    let aborted = false;
    const run = createRun(asked, {
      model: scriptedModel([silent]),
      options: { timeout, onAbort: () => void (aborted = true) },
    });
    expect(await codeOf(run.start())).toBe('timeout');
    const { error } = run.getState();
    expect(error).toMatchObject({ message, details: { phase } });
    expect(error).not.toHaveProperty('source');
    expect(aborted).toBe(true);
  });

  test.each(['totalMs', 'stepMs'])('%s also counts while the run waits for an approval', async (name) => {
    const { state } = await play(
      go((prompt) => prompt.defTool('send', '', z.object({}), () => 1, { needsApproval: true })),
      [[call('send')], 'Never.'],
      { options: { timeout: { [name]: 1_000 } } },
    );
    expect(state).toMatchObject({ status: 'error', error: { code: 'timeout' } });
    expect(state.approvals).toMatchObject([{ withdrawn: true }]);
  });

  test('totalMs of an agent ends the agent', async () => {
    const { state } = await play(
      go((prompt) =>
        prompt.defAgent('helper', '', z.object({}), (_args, own) => own.$`Help.`, {
          timeout: { totalMs: 30 },
          model: scriptedModel([silent]),
        }),
      ),
      [[call('helper')], 'Done.'],
    );
    expect(state).toMatchObject({ status: 'done', agents: [{ status: 'error' }] });
    expect(state.toolCalls[0]?.errorText).toContain('The agent took longer than 0.03 s.');
  });

  test('limits that are longer than a timer can wait are no limits', async () => {
    const timeout = { totalMs: 1e12, stepMs: 1e12, firstChunkMs: 1e12, chunkMs: 1e12, toolMs: 1e12 };
    const { state } = await play((prompt) => prompt.$`Go.`, [[{ delay: 20 }, { text: 'Hi.' }]], {
      options: { timeout },
    });
    expect(state).toMatchObject({ status: 'done', text: 'Hi.' });
  });

  test('toolMs ends a tool that takes longer, unless the tool sets its own limit', async () => {
    const wait = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms, 'done'));
    const { run } = await play(
      go((prompt) => {
        prompt.defTool('slow', '', z.object({}), wait(5_000));
        prompt.defTool('named', '', z.object({}), wait(5_000));
        prompt.defTool('own', '', z.object({}), wait(100), { timeoutMs: 10_000 });
      }),
      [['slow', 'named', 'own'].map((name) => call(name)), 'Went on.'],
      { options: { timeout: { toolMs: 40, tools: { namedMs: 20 } } } },
    );
    expect(
      run.getState().toolCalls.map(({ state, errorText, output }) => [state, errorText ?? output]),
    ).toEqual([
      ['output-error', 'slow took longer than 40 ms, so it was ended.'],
      ['output-error', 'named took longer than 20 ms, so it was ended.'],
      ['output-available', 'done'],
    ]);
  });

  test('toolMs does not count while an agent works inside the call', async () => {
    const slow = scriptedModel([[{ delay: 2_000 }, { text: 'Slow help.' }]]);
    const helper = defineAgent({ name: 'helper', instructions: 'Help.', model: slow });
    const { state } = await play(
      go((prompt) =>
        prompt.defTool('ask', '', z.object({}), async (_args, context) => {
          const { output } = await helper.call('Help me.', { context });
          return output;
        }),
      ),
      [[call('ask')], 'Done.'],
      { options: { timeout: { toolMs: 1_500 } } },
    );
    const [asked] = state.toolCalls;
    expect(asked?.errorText ?? asked?.output).toBe('Slow help.');
  });

  test.each([
    [{ firstChunkMs: 0 }, 'options.timeout.firstChunkMs is 0. Give milliseconds above 0'],
    [{ chunkMs: '5' }, "options.timeout.chunkMs is '5'. Give milliseconds above 0"],
    [{ totalMs: NaN }, 'options.timeout.totalMs is NaN. Give milliseconds above 0'],
    [0, 'options.timeout is 0. Give milliseconds above 0, such as 30_000, or Infinity for no limit.'],
    [-5, 'options.timeout is -5. Give milliseconds above 0'],
    [
      '5s',
      "options.timeout is '5s'. Give milliseconds above 0, such as 30_000, or an object such as { totalMs: 30_000 }.",
    ],
    [null, 'options.timeout is null. Give milliseconds above 0'],
    [[5], 'options.timeout is a list. Give milliseconds above 0'],
    [{ tools: 5 }, 'options.timeout.tools is 5. Write an object such as { searchMs: 30_000 }'],
    [{ tools: { nope: 5 } }, 'options.timeout.tools has no "nope". Write nopeMs.'],
    [{ tools: { nopeMs: 0 } }, 'options.timeout.tools.nopeMs is 0. Give milliseconds above 0'],
    [
      { idleMs: 5 },
      'options.timeout has no "idleMs". It has totalMs, stepMs, firstChunkMs, chunkMs, toolMs and tools.',
    ],
  ])('%j is refused before the run starts', async (timeout, message) => {
    const starting = runPrompt((prompt) => prompt.$`Go.`, {
      model: scriptedModel(['Hi.']),
      options: { timeout: timeout as never },
    });
    await expect(starting).rejects.toMatchObject({ code: 'invalid_options' });
    await expect(starting).rejects.toThrow(message);
  });
});
