import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { CuelineError } from '../base/errors.ts';
import { startTimer } from '../base/timer.ts';
import { untilAborted } from '../base/until-aborted.ts';
import { toRunError } from '../models/run-error.ts';
import { startCallTimeouts, type ModelTimeouts } from './call-timeouts.ts';
import { finishOfFailed, keepFinish } from './failed-usage.ts';
import { createResponseAssembler, type ModelResponse } from './response-assembler.ts';
import { isEmpty, isVisible, readPart } from './response-parts.ts';
import { isTransient } from './retry-policy.ts';

/** How a response is checked, and its callbacks. */
export type ResponseSettings = {
  timeouts?: ModelTimeouts | undefined;
  repair?: ((error: CuelineError) => boolean) | undefined;
  onAnswer?: ((answer: ModelResponse) => Promise<void> | void) | undefined;
  /**
   * True if a response that a content filter ended is a failure. Otherwise it is an answer with that finish reason.
   */
  failsOnRefusal?: boolean | undefined;
  /**
   * True if the AI SDK retries streams that fail after their start (`streamRetries`), so that nothing else
   * retries them.
   */
  leavesStreams?: boolean | undefined;
  secrets?: readonly string[] | undefined;
  now?: (() => number) | undefined;
};

/** How long a provider may take to end its response after the answer, in milliseconds. */
const DRAIN_MS = 1_000;

/** How many parts are read ahead of the reader, because each part costs less this way than alone. */
const READ_AHEAD = 16;

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

const noUsage: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** Returns the finish of a cut-off response with which the conversation continues. */
export function repairedFinish(finish?: Finish): Finish {
  return { usage: noUsage, ...finish, type: 'finish', finishReason: { unified: 'other', raw: undefined } };
}

/** Returns a stream of these parts. */
export function streamOf(
  parts: readonly LanguageModelV4StreamPart[],
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/**
 * True for a finish that the provider did not send: it has neither a reason nor tokens. The packages of Azure,
 * Bedrock, Cohere, DeepSeek and xAI make one when a stream just ends, and so does that of Perplexity, which sends
 * tokens with every part.
 */
function isCutOff({ finishReason, usage }: Finish, provider: string): boolean {
  // a package may ignore the types
  const { inputTokens } = (usage ?? {}) as Partial<LanguageModelV4Usage>;
  if (finishReason.unified !== 'other' || finishReason.raw !== undefined) return false;
  return provider === 'perplexity' || !inputTokens?.total;
}

/** True for a finish that is an error although the package does not know its reason, such as that of OpenRouter. */
function isFailed({ finishReason: { unified, raw } }: Finish): boolean {
  return unified === 'other' && raw === 'error';
}

/** Returns the finish of a failed response. Its tokens still count. */
export function failedFinish(finish?: Finish): Finish {
  const finishReason = { unified: 'error' as const, raw: finish?.finishReason.raw };
  return { usage: noUsage, ...finish, type: 'finish', finishReason };
}

/**
 * Makes one call of the model and resolves once something of its answer is visible. Until then it can be tried
 * again, so the promise rejects with whatever was thrown. A later failure cuts off the answer, which is
 * repaired or errors the stream. `firstChunkLeftMs` is what earlier attempts have left of that limit.
 */
export function openResponse(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
  settings: ResponseSettings,
  firstChunkLeftMs?: number,
): Promise<LanguageModelV4StreamResult> {
  return new ModelAnswer(call, settings, firstChunkLeftMs).open(model);
}

type PartReader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
type Controller = ReadableStreamDefaultController<LanguageModelV4StreamPart>;

/** The answer to one call of a model: from the call to the last part. */
class ModelAnswer {
  readonly #call: LanguageModelV4CallOptions;
  readonly #settings: ResponseSettings;
  /** Aborts the call: with the caller, after a timeout, and when the answer is given up. */
  readonly #own = new AbortController();
  readonly #timers;
  readonly #firstParts: LanguageModelV4StreamPart[] = [];
  #emit = (part: LanguageModelV4StreamPart): unknown => this.#firstParts.push(part);
  readonly #answer;
  #opening: Promise<LanguageModelV4StreamResult> | undefined;
  #reader: PartReader | undefined;
  #ended = false;
  #provider = '';

  constructor(
    call: LanguageModelV4CallOptions,
    settings: ResponseSettings,
    firstChunkLeftMs: number | undefined,
  ) {
    this.#call = call;
    this.#settings = settings;
    const { timeouts = {}, now = () => performance.now() } = settings;
    call.abortSignal?.addEventListener('abort', this.#follow);
    if (call.abortSignal?.aborted) this.#follow();
    this.#timers = startCallTimeouts(timeouts, now, (error) => this.#own.abort(error), firstChunkLeftMs);
    this.#answer = createResponseAssembler((part) => this.#emit(part), {
      holdsCalls: settings.repair !== undefined,
    });
  }

  async open(model: LanguageModelV4): Promise<LanguageModelV4StreamResult> {
    let result: LanguageModelV4StreamResult | undefined;
    const { signal } = this.#own;
    this.#provider = model.provider;
    try {
      signal.throwIfAborted();
      this.#opening = Promise.resolve(model.doStream({ ...this.#call, abortSignal: signal }));
      result = await untilAborted(this.#opening, signal);
      this.#reader = result.stream.getReader();
      const finish = await this.#untilVisible(this.#reader);
      const flaw = finish === undefined ? undefined : this.#errorOf(finish);
      // an answer that is not asked for again ends in the stream, where its tokens count
      if (flaw !== undefined && isTransient(flaw, flaw)) throw flaw;
      return { ...result, stream: this.#streamFrom(this.#reader, finish) };
    } catch (error) {
      // a provider that is aborted reports that in its own way, and maybe first
      const reason: unknown = signal.aborted ? signal.reason : error;
      this.#giveUp(reason);
      const leavesStream = this.#settings.leavesStreams === true && this.#call.abortSignal?.aborted !== true;
      if (result === undefined || !leavesStream) throw reason;
      return {
        ...result,
        stream: streamOf([
          ...this.#firstParts,
          { type: 'error', error: reason },
          failedFinish(finishOfFailed(reason)),
        ]),
      };
    }
  }

  readonly #follow = (): void => this.#own.abort(this.#call.abortSignal?.reason);

  #release(reason: unknown): void {
    this.#timers.stop();
    this.#call.abortSignal?.removeEventListener('abort', this.#follow);
    // a late or second failure does not matter
    if (this.#reader === undefined)
      this.#opening?.then(({ stream }) => stream.cancel(reason)).catch(() => {});
    else this.#reader.cancel(reason).catch(() => {});
  }

  #giveUp(reason: unknown): void {
    this.#release(reason);
    this.#own.abort(reason);
  }

  #errorOf(finish: Finish): CuelineError | undefined {
    const failed = isCutOff(finish, this.#provider) || isFailed(finish);
    const { finishReason } = failed ? failedFinish(finish) : finish;
    const flaw = this.#answer.errorOf(finishReason);
    if (flaw !== undefined) keepFinish(flaw, finish);
    return flaw?.code === 'content_filter' && this.#settings.failsOnRefusal !== true ? undefined : flaw;
  }

  /** Reads until something is visible, or until the end. */
  async #untilVisible(from: PartReader): Promise<Finish | undefined> {
    for (;;) {
      const part = readPart(await untilAborted(from.read(), this.#own.signal));
      if (part.type === 'finish') return part;
      if (isEmpty(part)) continue;
      this.#answer.add(part);
      if (!isVisible(part)) continue;
      this.#timers.begun();
      return undefined;
    }
  }

  #streamFrom(from: PartReader, early: Finish | undefined): ReadableStream<LanguageModelV4StreamPart> {
    const { signal } = this.#own;
    return new ReadableStream<LanguageModelV4StreamPart>(
      {
        start: (controller) => {
          for (const part of this.#firstParts) controller.enqueue(part);
          this.#emit = (part) => controller.enqueue(part);
          signal.addEventListener('abort', () => this.#breakOff(controller, signal.reason));
          this.#timers.pause();
        },
        pull: (controller) =>
          early === undefined ? this.#pull(controller, from) : this.#finish(controller, early),
        cancel: (reason) => {
          this.#ended = true;
          this.#giveUp(reason);
        },
      },
      { highWaterMark: READ_AHEAD },
    );
  }

  /** Reads as much as the caller takes. */
  async #pull(controller: Controller, from: PartReader): Promise<void> {
    this.#timers.partReceived();
    try {
      for (;;) {
        const part = readPart(await from.read());
        // it was in flight when the answer was cut off
        if (this.#ended) return;
        if (part.type === 'finish') return await this.#finish(controller, part);
        if (isEmpty(part)) continue;
        this.#answer.add(part);
        if ((controller.desiredSize ?? 0) <= 0) return this.#timers.pause();
        this.#timers.partReceived();
      }
    } catch (error) {
      this.#breakOff(controller, error);
    }
  }

  async #finish(controller: Controller, part: Finish): Promise<void> {
    const flaw = this.#errorOf(part);
    if (flaw !== undefined) return this.#breakOff(controller, flaw, part);
    this.#timers.stop();
    const whole = this.#answer.read(part.finishReason);
    try {
      await this.#settings.onAnswer?.(whole);
    } catch (error) {
      this.#ended = true;
      controller.error(error);
    }
    if (!this.#ended) {
      this.#ended = true;
      this.#answer.close('whole');
      controller.enqueue({ ...part, finishReason: whole.finishReason });
      controller.close();
    }
    await this.#drain();
  }

  /** Reads the end of the response after that of the answer, because a connection can be reused only then. */
  async #drain(): Promise<void> {
    const timer = startTimer(() => this.#release(undefined), DRAIN_MS);
    try {
      while ((await this.#reader?.read())?.done === false);
    } catch {
      // the answer is whole
    }
    clearTimeout(timer);
    this.#release(undefined);
  }

  #breakOff(controller: Controller, thrown: unknown, part?: Finish): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#giveUp(thrown);
    const { abortSignal } = this.#call;
    if (abortSignal?.aborted) return controller.error(abortSignal.reason);
    const error = toRunError(thrown, this.#settings.secrets);
    if (this.#settings.repair?.(error) === true) {
      this.#answer.close('broken');
      controller.enqueue(repairedFinish(part));
    } else {
      controller.enqueue({ type: 'error', error: thrown });
      controller.enqueue(failedFinish(part));
    }
    controller.close();
  }
}
