import type { CurrentModel } from '@cueline/core/models';

/** A model of the AI SDK's current specification. */
export type Model = CurrentModel;

/** The options of a model call. */
export type ModelCall = Parameters<Model['doStream']>[0];

type Answer = Awaited<ReturnType<Model['doGenerate']>>;
type Stream = Awaited<ReturnType<Model['doStream']>>['stream'];
type StreamPart = Stream extends ReadableStream<infer Item> ? Item : never;

/** The usage that a provider reports. */
export type ReportedByModel = Extract<StreamPart, { type: 'finish' }>['usage'];

/** A call that may be made. */
export type MeteredCall = {
  /** The reserved length of the answer, in tokens. */
  maxOutputTokens: number;
  /** Reports more characters of the answer. */
  receivedCharacters(characters: number): void;
  /**
   * Ends the call: with the provider's report, with the error that it threw, or cut off with neither. `unsent` if it
   * was not made at all. Only the first time counts.
   */
  ended(how: { usage?: ReportedByModel | undefined; error?: unknown; unsent?: boolean }): void;
};

/** The meter of a call in progress, which the first call of a metered model behind its own model takes over. */
type OfferedMeter = { readonly meter: MeteredCall; readonly model: Model; isTaken: boolean };

/** The meters of the latest calls, by the prompt, which models that are behind each other pass on. */
const offered = new WeakMap<ModelCall['prompt'], OfferedMeter>();

/** Returns the model with a meter that permits each call and measures it. */
export function meteredModel(
  model: Model,
  begin: (model: Model, call: ModelCall) => Promise<MeteredCall>,
): Model {
  /**
   * Makes a call, and reads with its meter what came back. A metered model may be behind another one, because a hook
   * may return the model that it was given: the call of the inner one has the meter of the outer one. If the outer one
   * calls it again, as for a hedge, that call has a meter of its own.
   */
  async function measure<Result>(
    call: ModelCall,
    make: (call: ModelCall) => PromiseLike<Result>,
    read: (result: Result, meter: MeteredCall) => Result,
  ): Promise<Result> {
    const outer = offered.get(call.prompt);
    const isInner = outer !== undefined && outer.model !== model && !outer.isTaken;
    if (isInner) outer.isTaken = true;
    const meter = isInner ? outer.meter : await begin(model, call);
    if (call.abortSignal?.aborted === true) {
      meter.ended({ unsent: true });
      throw call.abortSignal.reason as Error;
    }
    const own: OfferedMeter = { meter, model, isTaken: false };
    offered.set(call.prompt, own);
    try {
      const result = await make({ ...call, maxOutputTokens: meter.maxOutputTokens });
      return own.isTaken ? result : read(result, meter);
    } catch (error) {
      if (!own.isTaken) meter.ended({ error });
      throw error;
    } finally {
      if (offered.get(call.prompt) === own) offered.delete(call.prompt);
    }
  }

  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    doGenerate: (call) => measure(call, (changed) => model.doGenerate(changed), readAnswer),
    doStream: (call) =>
      measure(
        call,
        (changed) => model.doStream(changed),
        (result, meter) => ({ ...result, stream: listen(result.stream, meter) }),
      ),
  };
}

function readAnswer(result: Answer, meter: MeteredCall): Answer {
  const texts = result.content.map(writtenText);
  meter.receivedCharacters(texts.reduce((sum, text) => sum + text.length, 0));
  meter.ended({ usage: result.usage });
  return result;
}

/** What the model wrote of a part, as the deltas of a stream have it: no files, sources, or results of a provider's tools. */
function writtenText(part: Answer['content'][number]): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text;
  return part.type === 'tool-call' ? part.input : '';
}

function listen(stream: Stream, meter: MeteredCall): Stream {
  const reader = stream.getReader();
  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            meter.ended({});
            controller.close();
            return;
          }
          if ('delta' in value) meter.receivedCharacters(value.delta.length);
          else if (value.type === 'finish') meter.ended({ usage: value.usage });
          controller.enqueue(value);
        } catch (error) {
          meter.ended({});
          controller.error(error);
        }
      },
      cancel(reason) {
        meter.ended({});
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
