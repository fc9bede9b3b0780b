import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { scriptedModel } from '@cueline/core/testing';
import { streamText } from 'ai';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withCheckedCalls } from '../../src/sandbox/host/checked-model.ts';

const signed = { google: { thoughtSignature: 'abc' } };
const foreign = { openai: { store: true } };

/** A model whose answers have metadata of their provider. */
function signingModel(): { model: LanguageModelV4; calls: readonly LanguageModelV4CallOptions[] } {
  const model = scriptedModel(['Hello.', 'Hello again.']);
  const doStream: LanguageModelV4['doStream'] = async (options) => {
    const { stream, ...rest } = await model.doStream(options);
    const sign = new TransformStream({
      transform: (part, out) =>
        out.enqueue(part.type === 'text-end' ? { ...part, providerMetadata: signed } : part),
    });
    return { ...rest, stream: stream.pipeThrough(sign) };
  };
  const { specificationVersion, provider, modelId, supportedUrls } = model;
  const own = { specificationVersion, provider, modelId, supportedUrls, doStream } as LanguageModelV4;
  return { model: withCheckedCalls(own), calls: model.calls };
}

test('metadata of its own answers comes back to the provider, and no other options', async () => {
  const { model, calls } = signingModel();
  const say = (providerOptions?: typeof signed) =>
    streamText({
      model,
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'Hello.', ...(providerOptions && { providerOptions }) }],
        },
        { role: 'user', content: [{ type: 'text', text: 'Go on', providerOptions: foreign }] },
      ],
      providerOptions: foreign,
    }).consumeStream();
  await say();
  await say(signed);
  expect(JSON.stringify(calls[0])).not.toContain('providerOptions');
  expect(calls[1]?.prompt[1]?.content[0]).toMatchObject({ providerOptions: signed });
  expect(JSON.stringify(calls)).not.toContain('store');
});

test.each([
  'https://attacker.example/track.png',
  'http://attacker.example/',
  'blob:https://attacker.example/1',
])('a file at %s is neither downloaded nor sent', async (url) => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('No network.'));
  onTestFinished(() => fetched.mockRestore());
  const { model, calls } = signingModel();
  const errors: unknown[] = [];
  await streamText({
    model,
    messages: [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: new URL(url) }] }],
    onError: ({ error }) => void errors.push(error),
  }).consumeStream();
  expect(errors).toMatchObject([{ code: 'sandbox_refused' }]);
  expect([fetched.mock.calls, calls]).toEqual([[], []]);
});

test('files with their data pass', async () => {
  const { model, calls } = signingModel();
  const data = 'data:image/png;base64,iVBORw0KGgo=';
  await streamText({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data },
          { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
        ],
      },
    ],
  }).consumeStream();
  expect(calls[0]?.prompt[0]?.content).toMatchObject([
    { data: { type: 'data', data: 'iVBORw0KGgo=' } },
    { data: { type: 'data', data: 'AQID' } },
  ]);
});
