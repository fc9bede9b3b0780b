import type { Prompt } from '@cueline/core';
import { expectTypeOf, test } from 'vitest';

declare const prompt: Prompt;
declare const bytes: Uint8Array<ArrayBuffer>;

test('each role takes its own parts', () => {
  prompt.defMessage('user', 'Hi.');
  prompt.defMessage('user', [
    { type: 'text', text: 'a', providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
    { type: 'image', image: bytes },
    { type: 'image', image: bytes.buffer },
    { type: 'image', image: Buffer.from('a') },
    { type: 'image', image: 'https://example.com/a.png' },
    { type: 'image', image: new URL('https://example.com/a.png') },
    { type: 'image', image: { openai: 'file-1' } },
    { type: 'image', image: new Blob([bytes]), mediaType: 'image/png' },
    { type: 'file', data: bytes, mediaType: 'application/pdf', filename: 'a.pdf' },
    { type: 'audio', data: bytes, mediaType: 'audio/mpeg' },
  ]);
  prompt.defMessage('assistant', [
    { type: 'reasoning', text: 'a' },
    { type: 'tool-call', toolCallId: '1', toolName: 'a', input: {} },
  ]);
  prompt.defMessage('tool', [
    { type: 'tool-result', toolCallId: '1', toolName: 'a', output: 'a' },
    { type: 'tool-result', toolCallId: '2', toolName: 'a', output: { a: 1 } },
    { type: 'tool-result', toolCallId: '3', toolName: 'a', output: null },
    { type: 'tool-result', toolCallId: '4', toolName: 'a', output: { type: 'json', value: 1 } },
    { type: 'tool-result', toolCallId: '5', toolName: 'a', output: [{ type: 'image', image: bytes }] },
    { type: 'tool-error', toolCallId: '6', toolName: 'a', error: 'a' },
  ]);
  for (const { role, text } of [] as { role: 'user' | 'assistant'; text: string }[]) {
    prompt.defMessage(role, text);
  }
  expectTypeOf(prompt.defMessage<'user'>).returns.toEqualTypeOf<void>();

  // @ts-expect-error the system prompt has defSystem
  prompt.defMessage('system', 'Hi.');
  // @ts-expect-error a tool answers calls
  prompt.defMessage('tool', 'Hi.');
  // @ts-expect-error only the assistant makes calls
  prompt.defMessage('user', [{ type: 'tool-call', toolCallId: '1', toolName: 'a', input: {} }]);
  // @ts-expect-error the assistant has heard no sound
  prompt.defMessage('assistant', [{ type: 'audio', data: bytes, mediaType: 'audio/mpeg' }]);
  // @ts-expect-error a file has a media type
  prompt.defMessage('user', [{ type: 'file', data: bytes }]);
  // @ts-expect-error an error is a text
  prompt.defMessage('tool', [{ type: 'tool-error', toolCallId: '1', toolName: 'a', error: new Error('a') }]);
});
