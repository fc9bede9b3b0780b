import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { decodeMessage, encodeMessage } from '../protocol.ts';
import { checkCall } from './check-call.ts';
import { createIssuedMetadata } from './issued-metadata.ts';

/** The metadata of the answers that this page's prompts without code have received. */
const issued = createIssuedMetadata();

/**
 * A model that makes only the calls that a script may make; see {@link checkCall}. A prompt without code runs in the
 * page itself, and continues conversations that may come from a link or a file.
 */
export function withCheckedCalls(model: LanguageModelV4): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    // all but inline files, so that the AI SDK downloads none: the check refuses files by address
    supportedUrls: { '*/*': [/^(?!data:)/i] },
    async doGenerate(options) {
      const result = await model.doGenerate(check(options));
      for (const part of result.content) issued.add(part);
      return result;
    },
    async doStream(options) {
      const { stream, ...rest } = await model.doStream(check(options));
      const record = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform(part, controller) {
          issued.add(part);
          controller.enqueue(part);
        },
      });
      return { ...rest, stream: stream.pipeThrough(record) };
    },
  };
}

function check(given: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { abortSignal, headers, includeRawChunks, ...options } = given;
  // as a worker sends them: without members that are undefined, and with bytes as base64
  const sent = decodeMessage(encodeMessage({ type: 'model-call', call: 0, options })) as { options: unknown };
  return {
    ...checkCall(sent.options, issued.has).options,
    ...(abortSignal && { abortSignal }),
    ...(headers && { headers }),
    ...(includeRawChunks !== undefined && { includeRawChunks }),
  };
}
