import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { CuelineError, type SerializedError } from '@cueline/core';
import { toRunError } from '@cueline/core/models';
import { formatCount } from '../../ui/format.ts';
import type { SandboxLimits } from '../limits.ts';
import { initialCredit, type ModelFailure, type ToHost, type ToWorker } from '../protocol.ts';
import { checkCall } from './check-call.ts';
import type { IssuedMetadata } from './issued-metadata.ts';

type ModelRequest = Extract<ToHost, { call: number }>;

type Call = {
  abort: AbortController;
  credit: number;
  wake: () => void;
  /** Characters of the answer. */
  received: number;
  /** True once the provider has said how many tokens the answer took. */
  isCounted: boolean;
};

/** For answers that end before the provider says how many tokens they took. */
const charactersPerToken = 4;

const batchTime = 8;
const batchParts = 64;

/** These say nothing without the part after them, so they are sent with it. */
const openings = new Set<LanguageModelV4StreamPart['type']>([
  'stream-start',
  'response-metadata',
  'text-start',
  'reasoning-start',
  'tool-input-start',
]);

/** The error of an answer that ends without a reason. */
const unexplained: SerializedError = {
  code: 'provider_error',
  message: 'The model ended its answer with an unspecified error. Try again.',
};

export type ModelServerOptions = {
  model: LanguageModelV4;
  limits: Pick<SandboxLimits, 'calls' | 'concurrentCalls' | 'totalTokens'>;
  /** Literal keys, to be removed from every error. */
  secrets: readonly string[];
  issued: IssuedMetadata;
  send: (message: ToWorker) => void;
};

/** Answers the model calls of one run, within its budget. The model, and with it the key, never leaves this class. */
export class ModelServer {
  /** The failures that the server has sent, oldest first. */
  readonly failures: SerializedError[] = [];
  readonly #options: ModelServerOptions;
  readonly #calls = new Map<number, Call>();
  readonly #turns: (() => void)[] = [];
  #running = 0;
  #made = 0;
  #tokens = 0;

  constructor(options: ModelServerOptions) {
    this.#options = options;
  }

  receive(request: ModelRequest): void {
    const call = this.#calls.get(request.call);
    if (request.type === 'model-call') this.#begin(request.call, request.options);
    else if (request.type === 'model-abort') this.#abort(request.call);
    else if (call) {
      call.credit = Math.min(call.credit + request.count, initialCredit);
      call.wake();
    }
  }

  /** Ends every call. */
  close(): void {
    for (const id of this.#calls.keys()) this.#abort(id);
  }

  /** Throws if the run has used up its budget. */
  #checkBudget(): void {
    const used =
      this.#made > this.#options.limits.calls
        ? `made ${this.#options.limits.calls} model calls`
        : this.#tokens >= this.#options.limits.totalTokens
          ? `used ${formatCount(this.#tokens)} tokens`
          : undefined;
    if (used === undefined) return;
    throw new CuelineError(
      'sandbox_refused',
      `The script has ${used}, the limit for one run. To continue, run it again from its last step.`,
    );
  }

  /** Waits until another call may begin. */
  async #takeTurn(): Promise<void> {
    if (this.#running >= this.#options.limits.concurrentCalls)
      await new Promise<void>((resolve) => this.#turns.push(resolve));
    else this.#running += 1;
  }

  #passTurn(): void {
    const next = this.#turns.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }

  async #serve(id: number, rawOptions: unknown, call: Call): Promise<void> {
    this.#checkBudget();
    const { options: checked, dropped } = checkCall(rawOptions, this.#options.issued.has);
    await this.#takeTurn();
    try {
      this.#checkBudget();
      if (!call.abort.signal.aborted) await this.#answer(id, checked, dropped, call);
    } finally {
      this.#passTurn();
    }
  }

  async #answer(
    id: number,
    checked: LanguageModelV4CallOptions,
    dropped: string[],
    call: Call,
  ): Promise<void> {
    const stream = await this.#open(checked, call);
    if (stream === undefined) return;
    this.#options.send({ type: 'model-open', call: id });
    const reader = stream.getReader();
    const abort = (): void => void reader.cancel().catch(() => {});
    call.abort.signal.addEventListener('abort', abort);
    try {
      await pump(
        reader,
        call,
        (parts) => this.#options.send({ type: 'model-parts', call: id, parts }),
        this.#prepare(dropped, call),
      );
    } finally {
      if (!call.isCounted) this.#countUnfinished(checked, call);
      call.abort.signal.removeEventListener('abort', abort);
      reader.releaseLock();
    }
  }

  /** Begins an answer; returns undefined if the worker no longer wants it. */
  async #open(
    checked: LanguageModelV4CallOptions,
    call: Call,
  ): Promise<ReadableStream<LanguageModelV4StreamPart> | undefined> {
    const { signal } = call.abort;
    try {
      const { stream } = await this.#options.model.doStream({ ...checked, abortSignal: signal });
      if (!signal.aborted) return stream;
      void stream.cancel().catch(() => {});
      return undefined;
    } finally {
      // the provider has the request; one that it refuses takes no tokens
      if (signal.aborted) this.#countUnfinished(checked, call);
    }
  }

  /** Estimates the tokens of an answer that the worker has aborted, or that was cut off. */
  #countUnfinished(checked: LanguageModelV4CallOptions, { received }: Call): void {
    this.#tokens += Math.ceil((JSON.stringify(checked).length + received) / charactersPerToken);
  }

  /** A part for the worker; undefined for one that it does not need. */
  #prepare(
    dropped: string[],
    call: Call,
  ): (part: LanguageModelV4StreamPart) => LanguageModelV4StreamPart | undefined {
    return (part: LanguageModelV4StreamPart): LanguageModelV4StreamPart | undefined => {
      this.#options.issued.add(part);
      if (part.type === 'raw') return undefined;
      if ('delta' in part) call.received += part.delta.length;
      if (part.type === 'error') return { type: 'error', error: this.#noteFailure(part.error) };
      if (part.type === 'finish') {
        if (part.finishReason.unified === 'error') this.failures.push(unexplained);
        call.isCounted = true;
        this.#tokens += (part.usage.inputTokens.total ?? 0) + (part.usage.outputTokens.total ?? 0);
      }
      if (part.type === 'stream-start' && dropped.length > 0) {
        const message = `Provider options (${dropped.join(', ')}) are left out of calls from the playground.`;
        return { ...part, warnings: [...part.warnings, { type: 'other', message }] };
      }
      if (part.type === 'response-metadata') {
        const { type, id, timestamp, modelId } = part;
        return { type, ...(id && { id }), ...(timestamp && { timestamp }), ...(modelId && { modelId }) };
      }
      return part;
    };
  }

  #noteFailure(error: unknown): ModelFailure {
    const failure = toFailure(error, this.#options.secrets);
    this.failures.push(failure.error);
    return failure;
  }

  #begin(id: number, rawOptions: unknown): void {
    if (this.#calls.has(id)) return;
    const call: Call = {
      abort: new AbortController(),
      credit: initialCredit,
      wake: () => {},
      received: 0,
      isCounted: false,
    };
    this.#calls.set(id, call);
    this.#made += 1;
    this.#serve(id, rawOptions, call).then(
      () => this.#finish(id),
      (error: unknown) => this.#finish(id, this.#noteFailure(error)),
    );
  }

  #finish(id: number, error?: ModelFailure): void {
    if (this.#calls.delete(id))
      this.#options.send({ type: 'model-end', call: id, ...(error === undefined ? {} : { error }) });
  }

  #abort(id: number): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.abort.abort();
    call?.wake();
  }
}

/**
 * Reads a stream only as fast as the worker takes it: a message of parts costs one credit, and without credit
 * nothing is read, so that the provider's own connection slows down.
 */
async function pump(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  call: Call,
  send: (parts: LanguageModelV4StreamPart[]) => void,
  prepare: (part: LanguageModelV4StreamPart) => LanguageModelV4StreamPart | undefined,
): Promise<void> {
  let batch: LanguageModelV4StreamPart[] = [];
  let sentAt = -batchTime;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (batch.length === 0 || call.abort.signal.aborted) return;
    call.credit -= 1;
    sentAt = performance.now();
    send(batch);
    batch = [];
  };
  try {
    for (;;) {
      while (call.credit <= 0 && !call.abort.signal.aborted) {
        await new Promise<void>((resolve) => {
          call.wake = resolve;
        });
      }
      const { done, value } = await reader.read();
      if (done) return flush();
      const part = prepare(value);
      if (part === undefined) continue;
      batch.push(part);
      const waits =
        openings.has(part.type) || (part.type.endsWith('-delta') && performance.now() - sentAt < batchTime);
      if (!waits || batch.length >= batchParts) flush();
      else timer ??= setTimeout(flush, batchTime);
    }
  } catch (error) {
    // The parts before the failure belong to the answer.
    flush();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function toFailure(error: unknown, secrets: readonly string[]): ModelFailure {
  const code = providerCode(error, secrets);
  const failure: ModelFailure = {
    error: toRunError(error, secrets).toJSON(),
    ...(code === undefined ? {} : { code }),
  };
  if (!APICallError.isInstance(error) || !error.isRetryable) return failure;
  const after = error.responseHeaders?.['retry-after'];
  return {
    ...failure,
    retry: {
      ...(error.statusCode === undefined ? {} : { statusCode: error.statusCode }),
      ...(after === undefined ? {} : { after }),
    },
  };
}

type Labels = { code?: unknown; type?: unknown };

/** The word by which a provider names the error, as OpenAI's `insufficient_quota`. */
function providerCode(thrown: unknown, secrets: readonly string[]): string | undefined {
  // what a stream reports is the provider's data itself
  const data = thrown instanceof Error ? (thrown as { data?: unknown }).data : thrown;
  const { error, ...rest } = (data ?? {}) as Labels & { error?: Labels | null };
  const { code, type } = error ?? rest;
  const word = code ?? type;
  if (typeof word !== 'string' || !/^\w{1,64}$/.test(word)) return undefined;
  return secrets.some((secret) => word.includes(secret)) ? undefined : word;
}
