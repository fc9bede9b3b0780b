import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import type { LanguageModelObject } from '../models/settings.ts';

/**
 * The model without the tool calls of its answers while `refuses()` is true: some models call tools even where they are
 * told not to, and the AI SDK would run them. `onRefused` hears of each. What a provider runs itself has run already.
 */
export function withoutCalls(
  model: LanguageModelObject,
  { refuses, onRefused }: { refuses: () => boolean; onRefused: (toolName: string) => void },
): LanguageModelObject {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapStream({ doStream }) {
        const result = await doStream();
        return refuses() ? { ...result, stream: result.stream.pipeThrough(dropCalls(onRefused)) } : result;
      },
    },
  });
}

function dropCalls(
  onRefused: (toolName: string) => void,
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const refused = new Set<string>();
  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'tool-call' && part.providerExecuted !== true) return onRefused(part.toolName);
      if (part.type === 'tool-input-start' && part.providerExecuted !== true)
        return void refused.add(part.id);
      if ((part.type === 'tool-input-delta' || part.type === 'tool-input-end') && refused.has(part.id))
        return;
      if (part.type === 'finish' && part.finishReason.unified === 'tool-calls') {
        return controller.enqueue({ ...part, finishReason: { ...part.finishReason, unified: 'stop' } });
      }
      controller.enqueue(part);
    },
  });
}
