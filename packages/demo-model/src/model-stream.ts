import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';

/** Waits for this many milliseconds, or until the signal aborts, which rejects with its reason. */
export function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const finish = (): void => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** A model's stream from a generator of its parts. It ends at once, with the signal's reason, when that aborts. */
export function streamOf(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
  signal: AbortSignal | undefined,
): LanguageModelV4StreamResult {
  let stopListening = (): void => {};
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      const abort = (): void => controller.error(signal?.reason);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      stopListening = () => signal?.removeEventListener('abort', abort);
    },
    async pull(controller) {
      try {
        const next = await parts.next();
        if (signal?.aborted) return;
        if (!next.done) return controller.enqueue(next.value);
        stopListening();
        controller.close();
      } catch (error) {
        stopListening();
        if (!signal?.aborted) controller.error(error);
      }
    },
    async cancel() {
      stopListening();
      await parts.return(undefined);
    },
  });
  return { stream };
}

/** The whole answer of a model that can only stream. An error in the stream is thrown. */
export async function generateFrom(
  doStream: (options: LanguageModelV4CallOptions) => PromiseLike<LanguageModelV4StreamResult>,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4GenerateResult> {
  const { stream } = await doStream(options);
  const content: LanguageModelV4Content[] = [];
  const open = new Map<string, { type: 'text' | 'reasoning'; text: string }>();
  let result: LanguageModelV4GenerateResult | undefined;
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) break;
    if (part.type === 'text-start' || part.type === 'reasoning-start') {
      const block = {
        type: part.type === 'text-start' ? ('text' as const) : ('reasoning' as const),
        text: '',
      };
      open.set(part.id, block);
      content.push(block);
    } else if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      const block = open.get(part.id);
      if (block !== undefined) block.text += part.delta;
    } else if (part.type === 'tool-call') {
      content.push(part);
    } else if (part.type === 'error') {
      throw part.error;
    } else if (part.type === 'finish') {
      result = { content, finishReason: part.finishReason, usage: part.usage, warnings: [] };
    }
  }
  if (result === undefined) throw new Error('The stream ended before the model finished.');
  return result;
}
