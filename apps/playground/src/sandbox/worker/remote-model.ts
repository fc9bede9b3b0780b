import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { CuelineError } from '@cueline/core';
import type { ModelInfo, ModelFailure, ToHost, ToWorker } from '../protocol.ts';
import { collectAnswer } from './collect-answer.ts';
import { createPartStream, type PartStream } from './part-stream.ts';

type ModelMessageToWorker = Extract<ToWorker, { call: number }>;

export type RemoteModel = {
  model: LanguageModelV4;
  receive(message: ModelMessageToWorker): void;
};

type Call = PartStream<LanguageModelV4StreamPart> & {
  open(): void;
  fail(error: unknown): void;
  owed: number;
};

/** A model whose calls the page makes. The worker knows only the names of the page's model. */
export function createRemoteModel(info: ModelInfo, send: (message: ToHost) => void): RemoteModel {
  const calls = new Map<number, Call>();
  let lastCall = 0;

  function doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { abortSignal, headers: _headers, includeRawChunks: _raw, ...rest } = options;
    const id = ++lastCall;
    const giveUp = (): void => {
      if (calls.delete(id)) send({ type: 'model-abort', call: id });
    };
    const parts = createPartStream<LanguageModelV4StreamPart>({
      drained() {
        const call = calls.get(id);
        if (call === undefined || call.owed === 0) return;
        send({ type: 'model-credit', call: id, count: call.owed });
        call.owed = 0;
      },
      cancelled: giveUp,
    });

    return new Promise((resolve, reject) => {
      const abort = (): void => {
        giveUp();
        parts.end(abortSignal?.reason);
        reject(abortSignal?.reason);
      };
      if (abortSignal?.aborted) return abort();
      abortSignal?.addEventListener('abort', abort, { once: true });
      calls.set(id, {
        ...parts,
        owed: 0,
        open: () => resolve({ stream: parts.stream }),
        fail(error) {
          parts.end(error);
          reject(error);
        },
      });
      send({ type: 'model-call', call: id, options: rest });
    });
  }

  return {
    model: {
      specificationVersion: 'v4',
      ...info,
      supportedUrls: {},
      doStream,
      doGenerate: async (options) => collectAnswer((await doStream(options)).stream),
    },
    receive(message) {
      const call = calls.get(message.call);
      if (call === undefined) return;
      if (message.type === 'model-open') return call.open();
      if (message.type === 'model-parts') {
        call.owed += 1;
        return call.push(message.parts.map(revive));
      }
      calls.delete(message.call);
      if (message.error === undefined) call.end();
      else call.fail(toError(message.error));
    },
  };
}

/** Restores a part from its JSON. */
function revive(part: LanguageModelV4StreamPart): LanguageModelV4StreamPart {
  if (part.type === 'response-metadata' && part.timestamp !== undefined) {
    return { ...part, timestamp: new Date(part.timestamp) };
  }
  if ((part.type === 'file' || part.type === 'reasoning-file') && part.data.type === 'url') {
    return { ...part, data: { type: 'url', url: new URL(part.data.url) } };
  }
  if (part.type === 'error') return { ...part, error: toError(part.error as ModelFailure) };
  return part;
}

/** The page's error. If a new attempt makes sense, it is an error that the AI SDK retries. */
function toError({ error, code, retry }: ModelFailure): Error {
  const { details, source } = error;
  // core reads from the cause whether the account has credit
  const cause = code === undefined ? undefined : { code };
  const ours = new CuelineError(error.code, error.message, { cause, details, source });
  if (retry === undefined) return ours;
  return new APICallError({
    message: ours.message,
    url: '',
    requestBodyValues: undefined,
    cause: ours,
    isRetryable: true,
    ...(retry.statusCode === undefined ? {} : { statusCode: retry.statusCode }),
    ...(retry.after === undefined ? {} : { responseHeaders: { 'retry-after': retry.after } }),
  });
}
