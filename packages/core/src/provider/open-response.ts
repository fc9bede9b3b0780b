import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { CuelineError } from '../base/errors.ts';
import { toRunError } from '../models/run-error.ts';
import { isEmpty, isVisible, partOf } from './response-parts.ts';
import { startCallTimeouts, type ModelTimeouts } from './call-timeouts.ts';
import { untilAborted } from '../base/until-aborted.ts';
import { createResponseAssembler, type ModelResponse } from './response-assembler.ts';

/** How a response is checked, and who is notified of it. */
export type ResponseSettings = {
  timeouts?: ModelTimeouts | undefined;
  repair?: ((error: CuelineError) => boolean) | undefined;
  onAnswer?: ((answer: ModelResponse) => Promise<void> | void) | undefined;
  /**
   * True if a response that a content filter ended is a failure. Otherwise it is an answer with that finish reason.
   */
  failsOnRefusal?: boolean | undefined;
  /** True if the AI SDK retries streams that fail after their start (`streamRetries`), so that nothing else does. */
  leavesStreams?: boolean | undefined;
  secrets?: readonly string[] | undefined;
  now?: (() => number) | undefined;
};

/** How many parts are read ahead of the reader, because each part costs less this way than alone. */
const READ_AHEAD = 16;

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

const noUsage: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** Returns the finish of a response that broke off and with which the conversation continues. */
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

/** Returns the finish of a failed response. Its tokens count all the same. */
function failedFinish(finish?: Finish): Finish {
  const finishReason = { unified: 'error' as const, raw: finish?.finishReason.raw };
  return { usage: noUsage, ...finish, type: 'finish', finishReason };
}

/**
 * Makes one call of the model and resolves once something of its answer is visible. Until then it can be tried again,
 * so the
 * promise rejects with whatever was thrown. A later failure breaks the answer off, which is repaired or errors the
 * stream.
 * `firstChunkLeftMs` is what earlier tries have left of that limit.
 */
export async function openResponse(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
  settings: ResponseSettings,
  firstChunkLeftMs?: number,
): Promise<LanguageModelV4StreamResult> {
  const own = new AbortController();
  const { abortSignal } = call;
  const follow = (): void => own.abort(abortSignal?.reason);
  abortSignal?.addEventListener('abort', follow);
  if (abortSignal?.aborted) follow();
  const { timeouts = {}, now = () => performance.now() } = settings;
  const timers = startCallTimeouts(timeouts, now, (error) => own.abort(error), firstChunkLeftMs);
  const beginning: LanguageModelV4StreamPart[] = [];
  let emit = (part: LanguageModelV4StreamPart): unknown => beginning.push(part);
  const answer = createResponseAssembler((part) => emit(part), { holdsCalls: settings.repair !== undefined });
  let opening: Promise<LanguageModelV4StreamResult> | undefined;
  let result: LanguageModelV4StreamResult | undefined;
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;

  function letGo(reason: unknown): void {
    timers.stop();
    abortSignal?.removeEventListener('abort', follow);
    // a late or second failure does not matter
    if (reader === undefined) opening?.then(({ stream }) => stream.cancel(reason)).catch(() => {});
    else reader.cancel(reason).catch(() => {});
  }

  function giveUp(reason: unknown): void {
    letGo(reason);
    own.abort(reason);
  }

  try {
    own.signal.throwIfAborted();
    opening = Promise.resolve(model.doStream({ ...call, abortSignal: own.signal }));
    result = await untilAborted(opening, own.signal);
    reader = result.stream.getReader();
    const finish = await untilVisible(reader);
    const flaw = finish === undefined ? undefined : errorOf(finish);
    if (flaw !== undefined) throw flaw;
    return { ...result, stream: streamFrom(reader, finish) };
  } catch (error) {
    // a provider that is aborted reports that in its own way, and maybe first
    const reason: unknown = own.signal.aborted ? own.signal.reason : error;
    giveUp(reason);
    if (result === undefined || settings.leavesStreams !== true || abortSignal?.aborted === true)
      throw reason;
    return { ...result, stream: streamOf([...beginning, { type: 'error', error: reason }, failedFinish()]) };
  }

  function errorOf({ finishReason }: Finish): CuelineError | undefined {
    const flaw = answer.errorOf(finishReason);
    return flaw?.code === 'content_filter' && settings.failsOnRefusal !== true ? undefined : flaw;
  }

  /** Reads until something is visible, or until the end. */
  async function untilVisible(from: typeof reader & {}): Promise<Finish | undefined> {
    for (;;) {
      const part = partOf(await untilAborted(from.read(), own.signal));
      if (part.type === 'finish') return part;
      if (isEmpty(part)) continue;
      answer.add(part);
      if (!isVisible(part)) continue;
      timers.begun();
      return undefined;
    }
  }

  function streamFrom(
    from: typeof reader & {},
    early: Finish | undefined,
  ): ReadableStream<LanguageModelV4StreamPart> {
    let ended = false;
    return new ReadableStream<LanguageModelV4StreamPart>(
      {
        start(controller) {
          for (const part of beginning) controller.enqueue(part);
          emit = (part) => controller.enqueue(part);
          own.signal.addEventListener('abort', () => breakOff(controller, own.signal.reason));
          timers.pause();
        },
        async pull(controller) {
          if (early !== undefined) return finish(controller, early);
          timers.heard();
          try {
            for (;;) {
              const part = partOf(await from.read());
              // it was on its way when the answer broke off
              if (ended) return;
              if (part.type === 'finish') return await finish(controller, part);
              if (isEmpty(part)) continue;
              answer.add(part);
              if ((controller.desiredSize ?? 0) <= 0) return timers.pause();
              timers.heard();
            }
          } catch (error) {
            breakOff(controller, error);
          }
        },
        cancel(reason) {
          ended = true;
          giveUp(reason);
        },
      },
      { highWaterMark: READ_AHEAD },
    );

    async function finish(
      controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>,
      part: Finish,
    ): Promise<void> {
      const flaw = errorOf(part);
      if (flaw !== undefined) return breakOff(controller, flaw, part);
      timers.stop();
      const whole = answer.read(part.finishReason);
      try {
        await settings.onAnswer?.(whole);
      } catch (error) {
        ended = true;
        controller.error(error);
      }
      if (!ended) {
        ended = true;
        answer.close('whole');
        controller.enqueue({ ...part, finishReason: whole.finishReason });
        controller.close();
      }
      letGo(undefined);
    }

    function breakOff(
      controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>,
      thrown: unknown,
      part?: Finish,
    ): void {
      if (ended) return;
      ended = true;
      giveUp(thrown);
      if (abortSignal?.aborted) return controller.error(abortSignal.reason);
      const error = toRunError(thrown, settings.secrets);
      if (settings.repair?.(error) === true) {
        answer.close('broken');
        controller.enqueue(repairedFinish(part));
      } else {
        controller.enqueue({ type: 'error', error: thrown });
        controller.enqueue(failedFinish(part));
      }
      controller.close();
    }
  }
}
