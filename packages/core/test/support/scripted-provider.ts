import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { toRunError } from '@cueline/core/models';
import { expect } from 'vitest';
import { withRetries, type RetrySettings } from '../../src/provider/with-retries.ts';

export type Part = LanguageModelV4StreamPart;

/** What a provider does next: a part, a wait, a connection that breaks, or silence for ever. */
export type Act = Part | { wait: number } | { breaks: unknown } | 'silence';

/** One answer of the provider. `connects`: milliseconds until it takes the request. */
export type Answer = readonly Act[] | { throws: unknown } | { connects: number; acts: readonly Act[] };

export const usage: LanguageModelV4Usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};

export const noUsage: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

export const started: Part = { type: 'stream-start', warnings: [] };
export const healed: Part = {
  type: 'finish',
  usage: noUsage,
  finishReason: { unified: 'other', raw: undefined },
};

export function finish(unified: LanguageModelV4FinishReason['unified']): Part {
  return { type: 'finish', usage, finishReason: { unified, raw: unified } };
}

export function text(delta: string, id = 't'): Part[] {
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id },
  ];
}

export function toolCall(id: string, input = '{}'): Part[] {
  return [
    { type: 'tool-input-start', id, toolName: 'find' },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: 'find', input },
  ];
}

/**
 * A provider that answers its nth call with the nth answer, and again with the last. It records when its answer is
 * cancelled.
 */
export function provider(answers: readonly Answer[], options: { deaf?: boolean } = {}) {
  const calls: LanguageModelV4CallOptions[] = [];
  const cancelled: number[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'lab',
    modelId: 'm-1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    async doStream(call) {
      const number = calls.push(call) - 1;
      const answer = answers[Math.min(number, answers.length - 1)]!;
      if ('throws' in answer) throw answer.throws;
      const acts = 'acts' in answer ? answer.acts : answer;
      const signal = options.deaf === true ? undefined : call.abortSignal;
      if ('connects' in answer) await pause(answer.connects, signal);
      let at = 0;
      const stream = new ReadableStream<Part>(
        {
          async pull(controller) {
            for (;;) {
              const act = acts[at++];
              if (act === undefined) return controller.close();
              if (act === 'silence') return pause(Infinity, signal);
              if ('wait' in act) await pause(act.wait, signal);
              else if ('breaks' in act) return controller.error(act.breaks);
              else return controller.enqueue(act);
            }
          },
          cancel: () => void cancelled.push(number),
        },
        { highWaterMark: 0 },
      );
      return { stream, request: { body: { number } } };
    },
  };
  return { model, calls, cancelled };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = ms === Infinity ? undefined : setTimeout(resolve, ms);
    const abort = (): void => {
      clearTimeout(timer);
      reject(new DOMException('This operation was aborted', 'AbortError'));
    };
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
  });
}

/**
 * What a caller sees of one call: the parts, and what it ended with where it ended badly. Failures heal or not, so the
 * calls of an answer come when it is whole.
 */
export async function see(
  model: LanguageModelV4,
  settings: RetrySettings = {},
  abortSignal?: AbortSignal,
): Promise<{ parts: Part[]; rejected?: unknown; errored?: unknown }> {
  const steady = withRetries(model, {
    sleep: () => Promise.resolve(),
    repair: () => false,
    failsOnRefusal: true,
    ...settings,
  }) as LanguageModelV4;
  const parts: Part[] = [];
  const call: LanguageModelV4CallOptions = {
    prompt: [],
    ...(abortSignal === undefined ? {} : { abortSignal }),
  };
  const opened = await steady.doStream(call).then(
    ({ stream }) => ({ stream, reader: stream.getReader() }),
    (rejected: unknown) => ({ rejected }),
  );
  if ('rejected' in opened) return { parts, ...opened };
  for (;;) {
    try {
      const { done, value } = await opened.reader.read();
      if (done) return { parts };
      if (value.type !== 'error') {
        parts.push(value);
        continue;
      }
      // what it has cost comes after it
      opened.reader.releaseLock();
      const rest = await all(opened.stream);
      expect(rest).toMatchObject([{ type: 'finish', finishReason: { unified: 'error' } }]);
      return { parts, errored: toRunError(value.error, settings.secrets) };
    } catch (errored) {
      return { parts, errored };
    }
  }
}

/** Every part of a stream. */
export async function all(stream: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
