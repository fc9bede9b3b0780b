import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import type { CuelineError } from '../base/errors.ts';
import { untilAborted } from '../base/until-aborted.ts';
import { toRunError } from '../models/run-error.ts';
import type { LanguageModelObject } from '../models/settings.ts';
import { defaultTimeouts } from './call-timeouts.ts';
import { browserConnectivity, type Connectivity } from './connectivity.ts';
import { finishOfFailed } from './failed-usage.ts';
import {
  failedFinish,
  openResponse,
  repairedFinish,
  streamOf,
  type ResponseSettings,
} from './open-response.ts';
import { MAX_RETRY_AFTER_MS, retryAfterTooLongError, retryAfterOf } from './retry-after.ts';
import {
  withAttemptCount,
  isTransient,
  OFFLINE_PAUSE_MS,
  retryDelay,
  sleepFor,
  untilOnline,
  type Sleep,
} from './retry-policy.ts';

export type { ModelResponse } from './response-assembler.ts';

/** A model call that has failed and is tried again. */
export type ModelRetry = {
  error: CuelineError;
  /** The number of the next attempt, from 2. Attempts that failed without a network are not counted. */
  attempt: number;
  /** The maximum number of attempts. */
  maxAttempts: number;
  /** Milliseconds until the next attempt; without a network, at the latest. */
  delayMs: number;
  /** True if there is no network, and the next attempt starts once there is one. */
  offline: boolean;
};

/** How a model's calls are retried, and how failures are handled. */
export type RetrySettings = ResponseSettings & {
  /** Tries after the first, as long as nothing of an answer is visible. 2 by default. */
  retries?: number | undefined;
  /** Called before each wait for another attempt. */
  onRetry?: ((retry: ModelRetry) => void) | undefined;
  /** Waits between attempts. */
  sleep?: Sleep | undefined;
  /** Returns a number from 0 to 1, for the length of the waits. */
  random?: (() => number) | undefined;
  connectivity?: Connectivity | undefined;
};

/**
 * Wraps the model with time limits, retries and whole answers. A call is tried again as long as nothing of its
 * answer is visible. An answer that is cut off ends with an error part and the finish reason `error`, for which
 * the AI SDK runs no tool call. If `repair` accepts the error, it ends as an answer without tool calls. What
 * the call's own abort signal throws is passed on unchanged.
 */
export function withRetries(model: LanguageModelObject, settings: RetrySettings): LanguageModelObject {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      wrapStream: ({ model, params }) => callWithRetries(model, params, settings),
    },
  });
}

async function callWithRetries(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
  settings: RetrySettings,
): Promise<LanguageModelV4StreamResult> {
  const {
    retries = 2,
    sleep = sleepFor,
    random = Math.random,
    connectivity = browserConnectivity,
  } = settings;
  const { abortSignal } = call;
  const now = settings.now ?? (() => performance.now());
  let attempts = 0;
  // one limit for all attempts, because a waiting user counts them as one
  let firstChunkLeftMs = settings.timeouts?.firstChunkMs ?? defaultTimeouts.firstChunkMs;
  for (;;) {
    const began = now();
    try {
      attempts += 1;
      return await openResponse(model, call, settings, firstChunkLeftMs);
    } catch (thrown) {
      firstChunkLeftMs = Math.max(1, firstChunkLeftMs - (now() - began));
      abortSignal?.throwIfAborted();
      const error = toRunError(thrown, settings.secrets);
      if (!isTransient(error, thrown)) return failedResponse(error, thrown, settings);
      if (error.code === 'network' && !connectivity.isOnline()) {
        // not counted as an attempt, because there was nothing to reach
        attempts -= 1;
        settings.onRetry?.({
          error,
          attempt: attempts + 1,
          maxAttempts: retries + 1,
          delayMs: OFFLINE_PAUSE_MS,
          offline: true,
        });
        await untilOnline(connectivity, sleep, abortSignal);
        continue;
      }
      const asked = retryAfterOf(thrown);
      if (asked !== undefined && asked > MAX_RETRY_AFTER_MS)
        return failedResponse(retryAfterTooLongError(error, asked), thrown, settings);
      if (attempts > retries) return failedResponse(withAttemptCount(error, attempts), thrown, settings);
      const delayMs = Math.round(asked ?? retryDelay(attempts, random));
      settings.onRetry?.({
        error,
        attempt: attempts + 1,
        maxAttempts: retries + 1,
        delayMs,
        offline: false,
      });
      await untilAborted(sleep(delayMs, abortSignal), abortSignal);
    }
  }
}

/**
 * Returns an empty response for a call that failed for good, if `repair` accepts the error, or if the call has used
 * tokens, which count.
 * @throws the error otherwise
 */
function failedResponse(
  error: CuelineError,
  thrown: unknown,
  { repair }: RetrySettings,
): LanguageModelV4StreamResult {
  const finish = finishOfFailed(thrown);
  const start = { type: 'stream-start' as const, warnings: [] };
  if (repair?.(error) === true) return { stream: streamOf([start, repairedFinish(finish)]) };
  if (finish === undefined) throw error;
  return { stream: streamOf([start, { type: 'error', error }, failedFinish(finish)]) };
}
