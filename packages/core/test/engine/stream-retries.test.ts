import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { createRun, definePrompt } from '@cueline/core';
import { PromptTransport, withoutRetried } from '@cueline/core/ai-sdk';
import { replay } from '@cueline/core/replay';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { smoothStream } from 'ai';
import { convertArrayToReadableStream } from 'ai/test';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, play, states, types } from '../support.ts';
import { answerOf, PlainChat } from '../support/chat.ts';

const asked = definePrompt('asked', (prompt) => prompt.$`Go.`);

const half: ScriptedTurn = [{ reasoning: 'Hm' }, { text: 'Half a sent' }, { error: { message: 'reset' } }];

describe('an answer that is cut off and retried', () => {
  const options = { streamRetries: 1 };

  test('is shown until the next attempt begins, which is in the log', async () => {
    const { events, result } = await play((prompt) => prompt.$`Go.`, [half, 'Whole.'], { options });
    expect(await result.text).toBe('Whole.');
    expect(types(events)).toEqual([
      'run-start',
      'step-start',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'retry',
      'text-start',
      'text-delta',
      'text-end',
      'step-end',
      'run-end',
    ]);
    const at = types(events).indexOf('retry');
    const all = states(events);
    expect(all[at - 1]).toMatchObject({ text: 'Half a sent', phase: 'text' });
    expect(all[at]).toMatchObject({ status: 'running', phase: 'requesting', text: '' });
    expect(all[at]!.messages).toEqual(all[1]!.messages);
    expect(all[at]!.steps[0]).not.toHaveProperty('firstOutputAt');
    expect(all.at(-1)!.text).toBe('Whole.');
    // the earlier state is as it was
    expect(all[at - 1]!.text).toBe('Half a sent');
  });

  test('keeps the text of the steps before', async () => {
    const look: ScriptedTurn = ['I look. ', call('look')];
    const { model, state, events } = await play(
      go((prompt) => prompt.defTool('look', '', z.object({}), () => 'seen')),
      [look, [{ text: 'Half' }, { error: 'reset' }], 'Whole.'],
      { options },
    );
    const at = types(events).indexOf('retry');
    expect(states(events)[at]!.text).toBe('I look. ');
    const parts = answerOf(state).parts.map((part) => ('text' in part ? part.text : part.type));
    expect(parts).toEqual(['step-start', 'I look. ', 'tool-look', 'step-start', 'Whole.']);
    expect(model.calls[2]!.prompt).toEqual(model.calls[1]!.prompt);
  });

  test('stays if the next attempt is empty, or if none follows', async () => {
    const failed = await play((prompt) => prompt.$`Go.`, [half, [{ throw: 'gone' }]], {
      options: { ...options, maxRetries: 0 },
    });
    expect(failed.run.getState()).toMatchObject({ status: 'error', text: 'Half a sent' });
    expect(types(failed.events)).not.toContain('retry');
  });

  test('is replaced by an attempt that is empty', async () => {
    const { state } = await play((prompt) => prompt.$`Go.`, [half, [{ finish: { reason: 'stop' } }]], {
      options,
    });
    expect(state).toMatchObject({ status: 'done', text: '' });
    expect(answerOf(state).parts).toEqual([{ type: 'step-start' }]);
  });

  test('ends the run with the error of the last attempt', async () => {
    const again: ScriptedTurn = [{ text: 'Another half' }, { error: { message: 'overheated' } }];
    const { events, state } = await play((prompt) => prompt.$`Go.`, [half, again], { options });
    expect(types(events).filter((type) => type === 'retry')).toHaveLength(1);
    expect(state).toMatchObject({
      status: 'error',
      error: { message: expect.stringContaining('overheated') },
      text: 'Another half',
    });
  });

  test('differs from an answer that continues after an error without a retry', async () => {
    const model = scriptedModel([]);
    const goesOn: LanguageModelV4StreamPart[] = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Before, ' },
      { type: 'error', error: { message: 'overheated' } },
      { type: 'text-end', id: '1' },
      { type: 'text-start', id: '2' },
      { type: 'text-delta', id: '2', delta: 'and after.' },
      { type: 'text-end', id: '2' },
    ];
    const run = createRun(asked, {
      model: { ...model, doStream: async () => ({ stream: convertArrayToReadableStream(goesOn) }) },
      options: { streamRetries: 0 },
    });
    await run.start().catch(() => {});
    expect(types(run.log())).not.toContain('retry');
    expect(run.getState().status).toBe('error');
  });

  test('is removed even if a transform delays it and the reader is slow', async () => {
    const turn: ScriptedTurn = [{ text: 'One two three four', chunkSize: 3 }, { error: 'reset' }];
    const { state } = await play((prompt) => prompt.$`Go.`, [turn, 'One two three four five.'], {
      options: { ...options, experimental_transform: smoothStream({ delayInMs: 2 }) },
    });
    expect(state.text).toBe('One two three four five.');
    expect(answerOf(state).parts).toHaveLength(2);
  });

  test('is also voided for an agent and for a JSON answer', async () => {
    const { state } = await play(
      go((prompt) =>
        prompt.defAgent('helper', '', z.object({}), (_input, helper) => helper.$`Help.`, options),
      ),
      [[call('helper')], half, 'Help.', 'Thanks.'],
    );
    expect(state).toMatchObject({ status: 'done', text: 'Thanks.' });
    expect(state.agents[0]).toMatchObject({ status: 'done', text: 'Help.' });
    expect(state.agents[0]!.messages.at(-1)!.parts).toHaveLength(2);
    const structured = createRun(
      definePrompt('structured', (prompt) => prompt.$`Go.`, { output: z.object({ n: z.number() }) }),
      { model: scriptedModel([[{ text: '{"n":1,"m' }, { error: 'reset' }], '{"n":2}']), options },
    );
    await structured.start();
    expect(structured.getState()).toMatchObject({ object: { n: 2 } });
    const at = types(structured.log()).indexOf('retry');
    expect(states(structured.log())[at - 1]).toMatchObject({ object: { n: 1 } });
    expect(states(structured.log())[at]).not.toHaveProperty('object');
  });

  test('is gone from a replay, an earlier state and a fork', async () => {
    const run = createRun(asked, { model: scriptedModel([half, 'Whole.', 'Next.', 'Next.']), options });
    await run.start();
    const { messages } = run.getState();
    const again = createRun(asked, { executor: replay(run.log()) });
    await again.start();
    expect(again.getState().messages).toEqual(messages);
    const at = types(run.log()).indexOf('retry');
    expect(run.at(at).messages).toEqual(messages.slice(0, 1));
    const branch = run.fork();
    await branch.send('Next.');
    const texts = branch
      .getState()
      .messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : [])));
    expect(texts).toEqual(['Go.', 'Whole.', 'Next.', 'Next.']);
  });

  test('is marked in a chat of the AI SDK, which cannot remove it', async () => {
    const model = scriptedModel([half, 'Whole.', 'Next.']);
    const chat = new PlainChat({ transport: new PromptTransport(asked, { model, options }) });
    await chat.sendMessage({ text: 'Hello.' });
    const answer = chat.messages.at(-1)!;
    expect(answer.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'reasoning',
      'text',
      'data-retry',
      'step-start',
      'text',
    ]);
    expect(answer.parts[3]).toEqual({ type: 'data-retry', data: { code: 'provider_error' } });
    expect(answer.parts.every((part) => !('state' in part) || part.state === 'done')).toBe(true);
    expect(withoutRetried(answer).parts).toEqual(answer.parts.slice(4));
    const said = chat.messages[0]!;
    expect(withoutRetried(said)).toBe(said);
    await chat.sendMessage({ text: 'And then?' });
    const sent = JSON.stringify(model.calls[2]!.prompt);
    expect(sent).toContain('Whole.');
    expect(sent).not.toContain('Half');
  });
});
