import { getErrorMessage, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { createRun, definePrompt, reduceAll, type RunEvent, type RunState } from '@cueline/core';
import { toUIMessageStream } from '@cueline/core/ai-sdk';
import { convertToModelMessages, isStepCount, streamText, type UIMessage } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { json } from '../support.ts';
import {
  anyAnswers,
  modelOf,
  partTypes,
  tools,
  type Answer,
  type StreamPart,
} from '../support/any-answer.ts';
import { lastMessage } from '../support/chat.ts';
import { sample } from '../support/sample.ts';

/** The visible content of a message: the AI SDK's reader hands a step's mark on only with the first part after it. */
function shown(message: UIMessage | undefined): UIMessage['parts'] {
  const parts = json(message?.parts ?? []);
  while (parts.at(-1)?.type === 'step-start') parts.pop();
  return parts;
}

/**
 * What a call was sent, without what providers refuse: texts of white space only, and messages that have nothing but
 * reasoning.
 */
function sent(call: LanguageModelV4CallOptions | undefined): unknown {
  return call?.prompt.flatMap((message): unknown[] => {
    if (message.role !== 'assistant') return [json(message)];
    const content = message.content.filter(
      (part) => part.type !== 'text' || part.providerOptions !== undefined || /\S/.test(part.text),
    );
    const isSilent = content.every((part) => part.type === 'reasoning' && part.providerOptions === undefined);
    return isSilent ? [] : [json({ ...message, content })];
  });
}

const user = (text: string): UIMessage => ({ id: text, role: 'user', parts: [{ type: 'text', text }] });

/**
 * The AI SDK alone: the message that a client has of a run, what each step was sent, and what its next request sends.
 */
async function theirs(answers: readonly Answer[], isWhole: boolean) {
  const model = modelOf(answers);
  const call = { model, tools, stopWhen: isStepCount(9), maxRetries: 0, onError: () => {} };
  const first = streamText({ ...call, messages: await convertToModelMessages([user('Go.')], { tools }) });
  const stream = first.toUIMessageStream({ sendSources: true, onError: getErrorMessage });
  const message = await lastMessage(stream);
  const steps = model.calls.map(({ prompt }) => json(prompt));
  const next = [
    user('Go.'),
    { id: 'answer', role: 'assistant' as const, parts: [], ...message },
    user('Next.'),
  ];
  await streamText({
    ...call,
    // a run that has failed leaves calls without a result, which no provider takes
    messages: await convertToModelMessages(next, { tools, ignoreIncompleteToolCalls: !isWhole }),
  }).consumeStream();
  return { message, steps, next: sent(model.calls[steps.length]) };
}

const asked = definePrompt('asked', (prompt) => prompt.$`Go.`);

/** The same with a run of ours. */
async function ours(answers: readonly Answer[]) {
  const model = modelOf(answers);
  const run = createRun(asked, { model, options: { tools, maxRetries: 0 } });
  await run.start().catch(() => {});
  const state: RunState = run.getState();
  const log = [...run.log()];
  const steps = model.calls.map(({ prompt }) => json(prompt));
  await run.send('Next.').catch(() => {});
  return { log, state, steps, next: sent(model.calls[steps.length]) };
}

function ownMessage(log: readonly RunEvent[]): UIMessage | undefined {
  return reduceAll(log).messages.findLast(({ role }) => role === 'assistant');
}

function isSeen(part: StreamPart): boolean {
  if ('delta' in part) return part.delta !== '';
  return !/^(?:stream-start|response-metadata|raw|ping|custom|(?:text|reasoning)-(?:start|end))$/.test(
    part.type,
  );
}

test('for any parts of a model, messages and requests equal those of the AI SDK', async () => {
  const seen = new Set<string>(['stream-start', 'finish']);
  await fc.assert(
    fc.asyncProperty(
      anyAnswers,
      fc.option(fc.constant('overheated'), { freq: 9 }),
      async (given, failure) => {
        // after an error the AI SDK goes on with calls that it could not read, and we do not
        // and what fails before there is anything to see leaves nothing to see
        const last = given.at(-1) ?? [];
        const fails = failure !== null && last.some(isSeen) && !last.some(({ type }) => type === 'tool-call');
        const failed: StreamPart[] = fails ? [{ type: 'error', error: failure }] : [];
        const answers = given.map((answer, at) =>
          at === given.length - 1 ? [...answer, ...failed] : answer,
        );
        for (const { type } of answers.flat()) seen.add(type);
        const own = await ours(answers);
        const other = await theirs(answers, !fails);
        expect(shown(own.state.messages.findLast(({ role }) => role === 'assistant'))).toEqual(
          shown(other.message),
        );
        expect(shown(await lastMessage(toUIMessageStream(own.log)))).toEqual(shown(other.message));
        expect(shown(ownMessage(json(own.log)))).toEqual(shown(other.message));
        expect(own.steps).toEqual(other.steps);
        expect(own.next).toEqual(other.next);
      },
    ),
    { numRuns: sample(150) },
  );
  const generated = Object.entries(partTypes).filter(([, how]) => how !== 'by itself');
  expect([...seen].toSorted()).toEqual(generated.map(([type]) => type).toSorted());
}, 120_000);
