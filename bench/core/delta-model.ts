import type { LanguageModel } from 'ai';

type Model = Exclude<LanguageModel, string> & { specificationVersion: 'v4' };

/**
 * A model that answers with `count` deltas as fast as they are read. It uses no timers, so that only Cueline is
 * measured.
 */
export function deltaModel(count: number): Model {
  const text = deltaText;
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: `${count}-deltas`,
    supportedUrls: {},
    doGenerate() {
      throw new Error('The bench streams.');
    },
    doStream: async () => {
      let sent = 0;
      const stream: Awaited<ReturnType<Model['doStream']>>['stream'] = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id: 'text' });
        },
        pull(controller) {
          if (sent < count) {
            controller.enqueue({ type: 'text-delta', id: 'text', delta: text });
            sent += 1;
            return;
          }
          controller.enqueue({ type: 'text-end', id: 'text' });
          controller.enqueue({
            type: 'finish',
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: {
              inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
              outputTokens: { total: count, text: count, reasoning: 0 },
            },
          });
          controller.close();
        },
      });
      return { stream };
    },
  };
}

/** The text of each delta. */
export const deltaText = 'word';

/** A model that writes one word and then nothing until its call is aborted. */
export function quietModel(): Model {
  return {
    ...deltaModel(1),
    modelId: 'quiet',
    doStream: async ({ abortSignal }) => {
      const stream: Awaited<ReturnType<Model['doStream']>>['stream'] = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id: 'text' });
          controller.enqueue({ type: 'text-delta', id: 'text', delta: deltaText });
          abortSignal?.addEventListener('abort', () => controller.error(abortSignal.reason));
        },
      });
      return { stream };
    },
  };
}
