import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import type { LanguageModelObject } from '../../models/settings.ts';

/**
 * Returns a model that drops the tool calls of its answers while `refuses` is true, because some models call
 * tools that they must not call, and the AI SDK would run them. `refused` holds the tools that the last answer
 * called nevertheless. The provider's own tools are not among them, because they have already run and do not
 * make an answer unusable.
 */
export function withoutCalls(
  model: LanguageModelObject,
  refuses: () => boolean,
  refused: Set<string>,
): LanguageModelObject {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapStream({ doStream }) {
        // a retried call is another answer
        refused.clear();
        const result = await doStream();
        return refuses() ? { ...result, stream: result.stream.pipeThrough(dropCalls(refused)) } : result;
      },
    },
  });
}

function dropCalls(
  refused: Set<string>,
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const dropped = new Set<string>();
  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'tool-call') {
        if (part.providerExecuted !== true) refused.add(part.toolName);
        return void dropped.add(part.toolCallId);
      }
      if (part.type === 'tool-input-start') return void dropped.add(part.id);
      if ((part.type === 'tool-input-delta' || part.type === 'tool-input-end') && dropped.has(part.id))
        return;
      const isAbout = part.type === 'tool-result' || part.type === 'tool-approval-request';
      if (isAbout && dropped.has(part.toolCallId)) return;
      if (part.type === 'finish' && part.finishReason.unified === 'tool-calls') {
        return controller.enqueue({ ...part, finishReason: { ...part.finishReason, unified: 'stop' } });
      }
      controller.enqueue(part);
    },
  });
}
