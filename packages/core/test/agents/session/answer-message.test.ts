import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import { convertArrayToReadableStream } from 'ai/test';
import { expect, test } from 'vitest';
import { transcriptText } from '../../../src/messages/transcript-text.ts';
import { json } from '../../support.ts';
import { complete, search } from './sessions.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const providerMetadata = { acme: { signature: 'abc' } };
const everything: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r', providerMetadata },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'I look ' },
  { type: 'text-delta', id: 't', delta: 'it up.' },
  { type: 'text-end', id: 't' },
  { type: 'text-start', id: 'empty' },
  { type: 'text-end', id: 'empty' },
  {
    type: 'tool-call',
    toolCallId: 'w',
    toolName: 'web',
    input: '{"q":"x"}',
    providerExecuted: true,
    dynamic: true,
  },
  { type: 'tool-result', toolCallId: 'w', toolName: 'web', result: { hits: 2 }, dynamic: true },
  { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
  { type: 'file', mediaType: 'text/plain', data: { type: 'data', data: Uint8Array.of(72, 105) } },
  { type: 'custom', kind: 'acme.mark', providerMetadata },
  { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: '{"query":"x"}', providerMetadata },
  { type: 'tool-call', toolCallId: 'b', toolName: 'search', input: '{"que' },
  { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool-calls' }, usage },
];

test('an answer is stored in the same form before and after its tools run', async () => {
  const done = scriptedModel([complete()]);
  let step = 0;
  const model: LanguageModelV4 = {
    ...done,
    async doStream(call) {
      step += 1;
      return step === 1 ? { stream: convertArrayToReadableStream(everything) } : done.doStream(call);
    },
  };
  const kept: ModelMessage[][] = [];
  const result = await runAgentSession(model, {
    systemPrompt: '',
    tools: { search },
    callbacks: { onMessagesUpdate: (_, messages) => void kept.push(json(messages)) },
  });
  expect(result.completionReason).toBe('task_complete');
  expect(kept[0]).toHaveLength(2);
  expect(kept[0]?.[1]).toEqual(kept[1]?.[1]);
  const { content } = kept[0]![1]!;
  expect((content as { type: string }[]).map(({ type }) => type)).toEqual([
    'reasoning',
    'text',
    'tool-call',
    'tool-result',
    'file',
    'custom',
    'tool-call',
    'tool-call',
  ]);
});

test('a conversation can be written as text', () => {
  expect(
    transcriptText([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'file', data: 'aGk=', mediaType: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'I do.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 'it' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'look',
            output: { type: 'json', value: { seen: true } },
          },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'look',
            output: { type: 'error-text', value: 'Too dark.' },
          },
          {
            type: 'tool-result',
            toolCallId: 'c',
            toolName: 'look',
            output: { type: 'execution-denied', reason: 'No.' },
          },
          {
            type: 'tool-result',
            toolCallId: 'd',
            toolName: 'look',
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'A' },
                { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'image/png' },
              ],
            },
          },
        ],
      },
      { role: 'assistant', content: 'A cat.' },
    ]),
  ).toMatchInlineSnapshot(`
    "User:
    Look.
    [a file, image/png]

    Assistant:
    I do.
    [calls look with {"at":"it"}]
    [calls look with {}]

    Tools:
    [look answers: {"seen":true}]
    [look fails: Too dark.]
    [look is not allowed: No.]
    [look answers: A
    [a file]]

    Assistant:
    A cat."
  `);
});
