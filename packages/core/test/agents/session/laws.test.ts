import type { LanguageModelV4, LanguageModelV4Message } from '@ai-sdk/provider';
import { runAgentSession, suspend, type AgentSession, type SessionConfig } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { ModelMessage, ToolCallPart } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { toolCallsOf } from '../../../src/agents/session/repair-messages.ts';
import { pairToolMessages } from '../../../src/messages/pair-tool-messages.ts';
import { call, json, throwing } from '../../support.ts';
import { sample } from '../../support/sample.ts';
import { complete, traced } from './sessions.ts';

const anyCall = fc.oneof(
  { weight: 6, arbitrary: fc.nat(40).map((n) => call('work', { n })) },
  fc.constant(call('work', { n: 'many' })),
  fc.constant(call('work', '{"n": ')),
  fc.constant(call('nothing')),
  fc.constant(call('fail')),
  fc.constant(call('slow')),
  { weight: 1, arbitrary: fc.constant(call('ask')) },
  { weight: 1, arbitrary: fc.constant(call('task_complete', { summary: 'Done.' })) },
  fc.constant(call('task_complete', {})),
);
const anyTurn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
  { weight: 6, arbitrary: fc.array(anyCall, { minLength: 1, maxLength: 4 }) },
  fc.tuple(fc.string({ maxLength: 300 }), anyCall).map(([text, part]) => [{ text }, part]),
  fc.string({ maxLength: 300 }).map((text) => [{ text }]),
  fc.constant([]),
  fc.constant([{ throw: { message: 'No.', status: 400 } }]),
  fc.constant([{ text: 'I was' }, { error: new Error('reset') }]),
  fc.constant([call('work', { n: 1 }), { error: new Error('reset') }]),
  fc.constant([call('work', { n: 1 }), { finish: { reason: 'length' } }]),
  fc.constant([{ text: 'No.' }, { finish: { reason: 'content-filter' } }]),
);
const anyPlay = fc.record({
  turns: fc.array(anyTurn, { maxLength: 12 }),
  maxTurns: fc.integer({ min: 1, max: 12 }),
  tokenLimit: fc.option(fc.integer({ min: 1, max: 1_500 }), { nil: undefined }),
  /** The number of callbacks after which it is stopped. */
  stopAfter: fc.option(fc.nat(40), { nil: undefined, freq: 4 }),
  throwing: fc.boolean(),
});

const tools: SessionConfig['tools'] = {
  work: { inputSchema: z.object({ n: z.number() }), execute: ({ n }: { n: number }) => 'x'.repeat(n * 20) },
  fail: {
    inputSchema: z.object({}),
    execute: throwing(new Error('failed')),
  },
  slow: { inputSchema: z.object({}), execute: () => new Promise(() => {}) },
  ask: { inputSchema: z.object({}), execute: () => suspend('?') },
};

/** Answers with these turns, and with text alone after them; summaries are neither. */
function modelOf(turns: readonly ScriptedTurn[]): LanguageModelV4 & { prompts: LanguageModelV4Message[][] } {
  let at = 0;
  const prompts: LanguageModelV4Message[][] = [];
  return {
    ...scriptedModel([]),
    prompts,
    doStream(given) {
      const isSummary = (given.tools ?? []).length === 0;
      if (!isSummary) prompts.push(given.prompt.filter(({ role }) => role !== 'system'));
      const turn = isSummary ? 'In short.' : (turns[at++] ?? 'Hm.');
      return scriptedModel([turn]).doStream(given);
    },
  };
}

/** The calls that have no result; a model may number its calls anew in every answer. */
function openCalls(messages: readonly ModelMessage[]): string[] {
  const callsIn = (list: readonly ModelMessage[]): ToolCallPart[] =>
    list.flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []));
  const whole = new Set(callsIn(pairToolMessages(messages)));
  return callsIn(messages).flatMap((part) => (whole.has(part) ? [] : [part.toolCallId]));
}

test('for any behavior of the model, a session ends once, within its bounds, and can be resumed', async () => {
  await fc.assert(
    fc.asyncProperty(anyPlay, async ({ turns, maxTurns, tokenLimit, stopAfter = Infinity, throwing }) => {
      const model = modelOf(turns);
      const told: string[] = [];
      const stored: ModelMessage[][] = [];
      let moments = 0;
      const moment = (): void => {
        moments += 1;
        if (moments > stopAfter) session.stop();
        if (throwing && moments % 3 === 0) throw new Error('broken callback');
      };
      const session: AgentSession = runAgentSession(model, {
        systemPrompt: 'You work.',
        maxTurns,
        tokenLimit,
        toolTimeout: 5,
        tools,
        callbacks: traced(told, {
          onTurnStart: moment,
          onAssistantMessage: moment,
          onToolCall: moment,
          onToolResult: moment,
          onError: moment,
          onMessagesUpdate: (_, messages) => {
            stored.push(json(messages));
            moment();
          },
        }),
      });
      const result = await session.promise;

      expect(told.filter((line) => line.startsWith('onComplete'))).toEqual([told.at(-1)]);
      expect(told.some((line) => line.endsWith('TOO EARLY'))).toBe(false);
      expect(
        session.run.log().filter(({ type, agent }) => type === 'run-end' && agent === undefined),
      ).toHaveLength(1);
      expect(result.totalTurns).toBeLessThanOrEqual(maxTurns);
      expect(told.filter((line) => line.startsWith('onTurnStart'))).toHaveLength(result.totalTurns);
      const { status } = session.run.getState();
      const expected = {
        task_complete: 'done',
        max_turns: 'error',
        error: 'error',
        stopped: 'stopped',
        suspended: 'waiting',
      }[result.completionReason];
      expect(status).toBe(expected);
      expect(result.error !== undefined).toBe(result.completionReason === 'error');
      expect(result.suspended !== undefined).toBe(result.completionReason === 'suspended');
      // the last callback has the final state
      if (stored.length > 0) expect(json(result.messages)).toEqual(stored.at(-1));

      // only what waits, or was cut off, has no result
      const open = openCalls(result.messages);
      if (result.completionReason === 'suspended') {
        expect(open).toEqual(result.suspended?.map(({ toolCallId }) => toolCallId));
      } else if (result.completionReason !== 'stopped') expect(open).toEqual([]);

      for (const prompt of model.prompts) {
        expect(prompt[0]?.role).toBe('user');
        expect(['user', 'tool']).toContain(prompt.at(-1)?.role);
        expect(pairToolMessages(prompt as ModelMessage[])).toEqual(prompt);
      }

      const resumed = await runAgentSession(scriptedModel([complete()]), {
        systemPrompt: 'You work.',
        tools,
        initialMessages: json(result.messages),
        answers: Object.fromEntries((result.suspended ?? []).map(({ toolCallId }) => [toolCallId, 'yes'])),
      });
      expect(resumed.completionReason).toBe('task_complete');
    }),
    { numRuns: sample(120) },
  );
}, 120_000);
