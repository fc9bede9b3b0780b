import { defineAgent, tags } from '@cueline/core/agents';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { playSession } from '../agents/session/sessions.ts';
import { call, go, play } from '../support.ts';

const refusal: ScriptedTurn = [{ text: 'I cannot' }, { finish: { reason: 'content-filter' } }];

describe('a refusal', () => {
  test('ends a run as content_filter, with the finish reason in its step and the text so far in its state', async () => {
    const { events, state } = await play((prompt) => prompt.$`Go.`, [refusal]);
    expect(state).toMatchObject({
      status: 'error',
      error: { code: 'content_filter', details: { finishReason: 'content-filter' } },
      text: 'I cannot',
      steps: [{ finishReason: 'content-filter' }],
    });
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'content-filter' });
  });

  test('is not answered with a reminder of open tasks', async () => {
    const { model, state } = await play(
      go((prompt) => prompt.defTaskList([{ task: 'Work', validation: () => undefined }])),
      [refusal, 'Never.'],
    );
    expect(state).toMatchObject({ status: 'error', error: { code: 'content_filter' } });
    expect(model.calls).toHaveLength(1);
  });

  test('of an agent is read by its parent', async () => {
    const { model, state } = await play(
      go((prompt) => prompt.defAgent('ask', '', z.object({}), (_args, own) => own.$`Answer.`)),
      [[call('ask')], refusal, 'Then not.'],
    );
    expect(state.status).toBe('done');
    expect(JSON.stringify(model.calls[2]?.prompt)).toContain('content filter stopped the answer');
  });

  test('ends a session at once', async () => {
    const { result, model, told } = await playSession([refusal, 'Never.']);
    expect(result).toMatchObject({
      completionReason: 'error',
      error: { code: 'content_filter' },
      totalTurns: 1,
    });
    expect(model.calls).toHaveLength(1);
    expect(told.filter((line) => line.startsWith('onError'))).toEqual([
      expect.stringMatching(/^onError 1: llm The provider's content filter/),
    ]);
  });

  test.each([undefined, tags(['answer']), z.object({ answer: z.string() })])(
    'ends an agent call, and is not corrected',
    async (output) => {
      const model = scriptedModel([refusal, 'Never.']);
      const agent = defineAgent({ name: 'it', instructions: 'Talk.', model, output });
      await expect(agent.call('Hi.')).rejects.toMatchObject({ code: 'content_filter' });
      expect(model.calls).toHaveLength(1);
    },
  );

  test('reaches the callbacks of the step', async () => {
    const reasons: string[] = [];
    await play((prompt) => prompt.$`Go.`, [refusal], {
      options: { onStepEnd: ({ finishReason }) => void reasons.push(finishReason) },
    });

    expect(reasons).toEqual(['content-filter']);
  });
});
