import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { createRun, definePrompt, reduceAll, type RunEvent, type RunState } from '@cueline/core';
import { toUIMessageStream, withoutRetried } from '@cueline/core/ai-sdk';
import type { UIMessage } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { json, types } from '../support.ts';
import { anyAnswers, modelOf, tools, type Answer } from '../support/any-answer.ts';
import { answerOf, lastMessage } from '../support/chat.ts';
import { sample } from '../support/sample.ts';

const asked = definePrompt('asked', (prompt) => prompt.$`Go.`);
const overheated: LanguageModelV4StreamPart = { type: 'error', error: { message: 'overheated' } };

/** What is known of a run but for its times and the ids that the AI SDK makes up for blocks of a second attempt. */
function timeless(state: RunState): unknown {
  const { messages, toolCalls, text, object, usage, tasks } = state;
  const times = new Set(['calledAt', 'startedAt', 'finishedAt', 'ms']);
  return JSON.parse(
    JSON.stringify({ messages, toolCalls, text, object, usage, tasks }, (key, value: unknown) => {
      if (times.has(key)) return undefined;
      const isReasoning = typeof value === 'object' && value !== null && 'state' in value && 'id' in value;
      if (isReasoning) return { ...value, id: 'reasoning' };
      return typeof value === 'string' ? value.replace(/^(msg)-.*/, '$1') : value;
    }),
  );
}

async function readAll(log: readonly RunEvent[]): Promise<UIMessage> {
  const last = await lastMessage(toUIMessageStream(log));
  return withoutRetried(last ?? { id: '', role: 'assistant', parts: [] });
}

/** The visible content of a message. */
function shown({ parts }: Pick<UIMessage, 'parts'>): unknown {
  const seen = json(parts).map((part) => (part.type === 'reasoning' ? { ...part, id: 'reasoning' } : part));
  while (seen.at(-1)?.type === 'step-start') seen.pop();
  return seen;
}

async function runOf(model: LanguageModelV4 & { calls: { prompt: unknown }[] }) {
  const run = createRun(asked, { model, options: { tools, maxRetries: 0, streamRetries: 2 } });
  await run.start().catch(() => {});
  const log = [...run.log()];
  const state: RunState = run.getState();
  await run.send('Next.').catch(() => {});
  return { log, state, next: json(model.calls.at(-1)?.prompt) };
}

test('wherever an answer is cut off, its retry leaves nothing of the failed attempt', async () => {
  const cuts = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 20 })), { minLength: 1, maxLength: 2 });
  let retried = 0;
  await fc.assert(
    fc.asyncProperty(anyAnswers, cuts, async (answers, made) => {
      const broken = answers.flatMap((answer, at): Answer[] => [
        ...made
          .filter(([which]) => which % answers.length === at)
          .map(([, cut]) => [...answer.slice(0, cut % (answer.length + 1)), overheated]),
        answer,
      ]);
      const whole = await runOf(modelOf(answers));
      const own = await runOf(modelOf(broken));
      retried += own.log.filter(({ type }) => type === 'retry').length;
      expect(own.state.status).toBe(whole.state.status);
      expect(timeless(own.state)).toEqual(timeless(whole.state));
      expect(timeless(reduceAll(json(own.log)))).toEqual(timeless(whole.state));
      expect(shown(await readAll(own.log))).toEqual(shown(answerOf(whole.state)));
      expect(own.next).toEqual(whole.next);
    }),
    { numRuns: sample(150) },
  );
  expect(retried).toBeGreaterThan(sample(75));
}, 120_000);

test('a part object that is reused in several steps does not move the start of an attempt', async () => {
  const shared = { type: 'ping' };
  const look = { type: 'tool-call', toolCallId: 'call', toolName: 'look', input: '{"n":1}' } as const;
  const file = { type: 'file', mediaType: 'text/plain', data: { type: 'data', data: 'aGk=' } } as const;
  const whole = [file, shared, file];
  const answers = [[shared, overheated], [shared, look], [...whole, overheated], whole];
  const { log } = await runOf(modelOf(answers as unknown as Answer[]));
  expect(types(log).filter((type) => type === 'retry' || type === 'file')).toEqual([
    'retry',
    'file',
    'file',
    'retry',
    'file',
    'file',
  ]);
});
