import type {
  EmbeddingModelV4,
  EmbeddingModelV4CallOptions,
  EmbeddingModelV4Result,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { generateFrom, streamOf, wait } from '@cueline/demo-model/stream';
import type { LanguageModel } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { quoteValue } from '../base/describe-value.ts';
import { hashOf } from '../json/content-hash.ts';
import { redactDeep } from '../json/redact.ts';
import { createModels, toCurrent } from '../models/create-models.ts';
import type { CurrentModel, ModelSettings } from '../models/settings.ts';
import { fromJson, readCassetteData, toJson, type CassetteData, type Recording } from './cassette-file.ts';
import { describeDifferences, similarity } from './request-difference.ts';

/** Settings of {@link createCassette}. */
export type CassetteOptions = {
  /** The content of an earlier cassette, such as parsed JSON. Default: none. */
  readonly data?: unknown;
  /**
   * `replay` (default): a request without a recording fails. `record`: all requests go to their models, and replace the
   * earlier recordings. `extend`: only requests without a recording go to their models.
   */
  readonly mode?: 'replay' | 'record' | 'extend';
  /** Where named models come from while recording. Their keys do not get into the cassette. */
  readonly models?: ModelSettings;
};

/** Recorded answers of models. */
export type Cassette = {
  /** Returns a model that answers from the cassette. A named model needs no key and no package for a replay. */
  model(model: string | LanguageModel): CurrentModel;
  /** Returns an embedding model that answers from the cassette. */
  embeddingModel(model: EmbeddingModelV4): EmbeddingModelV4;
  /** True if something was recorded that `data` did not have. */
  readonly changed: boolean;
  /** Returns the content, for a file. Recordings that no request asked for are left out if the mode is `record`. */
  toJSON(): CassetteData;
};

/** How many recordings a miss is compared with, for its message. */
const MAX_COMPARED = 2_000;

/**
 * Returns a cassette: it records what models answer, by request, and answers from these recordings later, without a key
 * and without a network.
 * @throws CuelineError `invalid_options`; a run whose request has no recording ends with `not_recorded`
 *
 * @example
 * const cassette = createCassette({ data: JSON.parse(await readFile('weather.cassette.json', 'utf8')) });
 * const { run } = await runPrompt(weather, { model: cassette.model('openai:gpt-4o') });
 */
export function createCassette({
  data,
  mode = 'replay',
  models: settings = {},
}: CassetteOptions = {}): Cassette {
  if (!['replay', 'record', 'extend'].includes(mode)) {
    throw new CuelineError(
      'invalid_options',
      `createCassette: "mode" is ${quoteValue(mode)}. Write replay, record or extend.`,
    );
  }
  const models = createModels(settings);
  const earlier = data === undefined || mode === 'record' ? [] : readCassetteData(data).recordings;
  const recordings = new Map<string, MutableRecording>(
    earlier.map((recording) => [recording.key, { ...recording, answers: [...recording.answers] }]),
  );
  /** How many answers of a recording were given. */
  const counts = new Map<string, number>();
  let changed = false;

  /** Returns the next recorded answer of a request; undefined if the request goes to the model. */
  function answerOf(asked: Asked): Recording['answers'][number] | undefined {
    const recording = recordings.get(asked.key);
    const count = counts.get(asked.key) ?? 0;
    if (recording === undefined || (mode !== 'replay' && count >= recording.answers.length)) {
      if (mode === 'replay') throw notRecorded(asked, [...recordings.values()]);
      return undefined;
    }
    counts.set(asked.key, count + 1);
    return recording.answers[count % recording.answers.length];
  }

  function record({ key, model, request }: Asked, answer: readonly unknown[]): void {
    const recording = recordings.get(key) ?? { key, model, request, answers: [] };
    recording.answers.push(redactDeep(toJson(answer), models.secrets()) as Recording['answers'][number]);
    recordings.set(key, recording);
    counts.set(key, recording.answers.length);
    changed = true;
  }

  function ask(model: string, request: object): Asked {
    const clean = redactDeep(toJson(request), models.secrets());
    return { model, request: clean, key: hashOf([model, clean]) };
  }

  function model(ref: string | LanguageModel): CurrentModel {
    const { provider, modelId, name } = nameOf(ref);
    let resolved: Promise<CurrentModel> | undefined;
    const resolve = (): Promise<CurrentModel> => (resolved ??= models.resolve(ref).then(toCurrent));
    const doStream: CurrentModel['doStream'] = async (options) => {
      const asked = ask(name, requestOf(options));
      const answer = answerOf(asked);
      if (answer !== undefined) return streamOf(play(answer, options.abortSignal), options.abortSignal);
      const { stream, ...rest } = await (await resolve()).doStream(options);
      return { ...rest, stream: stream.pipeThrough(collect((parts) => record(asked, parts))) };
    };
    return {
      specificationVersion: 'v4',
      provider,
      modelId,
      // a replay cannot ask the model which addresses it loads by itself
      supportedUrls:
        mode === 'replay'
          ? { '*/*': [/^https?:/] }
          : // a model that cannot be resolved is an error of the call
            resolve().then(
              (real) => real.supportedUrls,
              () => ({}),
            ),
      doStream,
      doGenerate: (options) => generateFrom(doStream, options),
    };
  }

  function embeddingModel(real: EmbeddingModelV4): EmbeddingModelV4 {
    const doEmbed = async (options: EmbeddingModelV4CallOptions): Promise<EmbeddingModelV4Result> => {
      const { values, providerOptions } = options;
      const asked = ask(`${real.provider}:${real.modelId}`, { values, providerOptions });
      const [part] = answerOf(asked) ?? [];
      if (part !== undefined) return { ...(fromJson(part) as Embedded), warnings: [] };
      const { embeddings, usage } = await real.doEmbed(options);
      record(asked, [{ type: 'embeddings', embeddings, ...(usage === undefined ? {} : { usage }) }]);
      return { embeddings, warnings: [], ...(usage === undefined ? {} : { usage }) };
    };
    return {
      specificationVersion: 'v4',
      provider: real.provider,
      modelId: real.modelId,
      maxEmbeddingsPerCall: real.maxEmbeddingsPerCall,
      supportsParallelCalls: real.supportsParallelCalls,
      doEmbed,
    };
  }

  return {
    model,
    embeddingModel,
    get changed() {
      return changed;
    },
    toJSON: () => ({
      version: 1,
      recordings: [...recordings.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1)),
    }),
  };
}

type MutableRecording = Omit<Recording, 'answers'> & { answers: Recording['answers'][number][] };

type Asked = Pick<Recording, 'key' | 'model' | 'request'>;

type Embedded = Pick<EmbeddingModelV4Result, 'embeddings' | 'usage'>;

/** Splits `provider:model`; an alias has no provider. */
function nameOf(ref: string | LanguageModel): { provider: string; modelId: string; name: string } {
  if (typeof ref !== 'string') {
    return { provider: ref.provider, modelId: ref.modelId, name: `${ref.provider}:${ref.modelId}` };
  }
  const colon = ref.indexOf(':');
  return colon === -1
    ? { provider: 'cassette', modelId: ref, name: ref }
    : { provider: ref.slice(0, colon), modelId: ref.slice(colon + 1), name: ref };
}

/** Returns the part of a request that the answer depends on. Ids of tool calls become numbers, because providers make them up. */
function requestOf(options: LanguageModelV4CallOptions): object {
  const { abortSignal: _signal, headers: _headers, includeRawChunks: _raw, ...request } = options;
  const ids = new Map<string, string>();
  const numbered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(numbered);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array || value instanceof URL) {
      return value;
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, item]: [string, unknown]) => {
        if (key !== 'toolCallId' || typeof item !== 'string') return [key, numbered(item)];
        const id = ids.get(item) ?? `call-${ids.size + 1}`;
        ids.set(item, id);
        return [key, id];
      }),
    );
  };
  return { ...request, prompt: numbered(request.prompt) };
}

async function* play(
  answer: Recording['answers'][number],
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart> {
  for (const part of answer) {
    // a turn of the event loop between parts, as with a network
    await wait(0, signal);
    yield fromJson(part) as LanguageModelV4StreamPart;
  }
}

/** Passes the parts of a whole answer on, and hands them over at its end. An answer with an error is not recorded. */
function collect(
  onWhole: (parts: readonly LanguageModelV4StreamPart[]) => void,
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const parts: LanguageModelV4StreamPart[] = [];
  return new TransformStream({
    transform(part, controller) {
      if (part.type !== 'raw') parts.push(part);
      // not when the stream closes: a run may read no further than this
      if (part.type === 'finish' && !parts.some(({ type }) => type === 'error')) onWhole(parts);
      controller.enqueue(part);
    },
  });
}

function notRecorded({ model, request }: Asked, recordings: readonly Recording[]): CuelineError {
  const rated = recordings
    .slice(0, MAX_COMPARED)
    .map((recording) => ({
      recording,
      score: similarity(recording.request, request) + (recording.model === model ? 1 : 0),
    }))
    .toSorted((one, other) => other.score - one.score);
  const nearest = rated[0]?.recording;
  const difference =
    nearest === undefined
      ? 'It is empty.'
      : nearest.model === model
        ? `The nearest recorded request differs in ${describeDifferences(nearest.request, request)}.`
        : `It has recordings of ${nearest.model}.`;
  return new CuelineError(
    'not_recorded',
    `The cassette has no answer of ${model} to this request. ${difference} Re-record it: cueline eval --record, or createCassette({ mode: 'record' }).`,
    { details: { model, ...(nearest === undefined ? {} : { nearest: nearest.key }) } },
  );
}
