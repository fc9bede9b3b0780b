import type {
  EmbeddingModelV4,
  EmbeddingModelV4CallOptions,
  EmbeddingModelV4Result,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { generateFrom, streamOf, wait } from '@cueline/demo-model/stream';
import type { LanguageModel } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { quoteValue } from '../base/quote-value.ts';
import { bindModels, toCurrent, type Models } from '../models/create-models.ts';
import type { CurrentModel, ModelSettings } from '../models/settings.ts';
import { fromJson, type CassetteData, type Recording, type UrlPatterns } from './cassette-file.ts';
import { createRecordings, type Recordings } from './recordings.ts';

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

/**
 * Returns a cassette: it records what models answer, by request, and answers from these recordings later, without a key
 * and without a network.
 * @throws CuelineError `invalid_options`; a run whose request has no recording ends with `not_recorded`
 *
 * @example
 * const cassette = createCassette({ data: JSON.parse(await readFile('weather.cassette.json', 'utf8')) });
 * const { run } = await runPrompt(weather, { model: cassette.model('openai:gpt-4o') });
 */
export function createCassette(options: CassetteOptions = {}): Cassette {
  checkNames('createCassette', options, ['data', 'mode', 'models'], 'invalid_options');
  const { data, mode = 'replay', models: settings = {} } = options;
  if (!['replay', 'record', 'extend'].includes(mode)) {
    throw new CuelineError(
      'invalid_options',
      `createCassette: "mode" is ${quoteValue(mode)}. Write replay, record or extend.`,
    );
  }
  const models = bindModels(settings);
  const recordings = createRecordings(data, mode, () => models.secrets());

  return {
    model: (ref) => cassetteModel(ref, recordings, models, mode === 'replay'),
    embeddingModel: (real) => cassetteEmbeddingModel(real, recordings),
    get changed() {
      return recordings.changed;
    },
    toJSON: () => recordings.toJSON(),
  };
}

/** Returns a model that answers from the recordings, or asks the real one and records its answer. */
function cassetteModel(
  ref: string | LanguageModel,
  recordings: Recordings,
  models: Models,
  isReplay: boolean,
): CurrentModel {
  const { provider, modelId, name } = splitModelName(ref);
  let resolved: Promise<CurrentModel> | undefined;
  const resolve = (): Promise<CurrentModel> => (resolved ??= models.resolve(ref).then(toCurrent));
  // the request has files at other URLs as bytes, so that a replay needs the same URLs
  const realUrls = async (): Promise<SupportedUrls> => {
    try {
      const urls = await (await resolve()).supportedUrls;
      recordings.keepUrls(name, toPatterns(urls));
      return urls;
    } catch {
      // a model that cannot be resolved is an error of the call
      return toRegExps(recordings.urlsOf(name) ?? {});
    }
  };
  const doStream: CurrentModel['doStream'] = async (options) => {
    const asked = recordings.ask(name, requestOf(options));
    const answer = recordings.answerOf(asked);
    if (answer !== undefined) return streamOf(play(answer, options.abortSignal), options.abortSignal);
    const { stream, ...rest } = await (await resolve()).doStream(options);
    return { ...rest, stream: stream.pipeThrough(collect((parts) => recordings.record(asked, parts))) };
  };
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    // a replay cannot ask the model which URLs it supports
    supportedUrls: isReplay ? toRegExps(recordings.urlsOf(name) ?? ANY_URL) : realUrls(),
    doStream,
    doGenerate: (options) => generateFrom(doStream, options),
  };
}

type SupportedUrls = Awaited<CurrentModel['supportedUrls']>;

/** The URLs of a replay whose cassette does not have them. */
const ANY_URL: UrlPatterns = { '*/*': [{ source: '^https?:', flags: '' }] };

function toPatterns(urls: SupportedUrls): UrlPatterns {
  return Object.fromEntries(
    Object.entries(urls).map(([type, patterns]) => [
      type,
      patterns.map(({ source, flags }) => ({ source, flags })),
    ]),
  );
}

function toRegExps(urls: UrlPatterns): SupportedUrls {
  return Object.fromEntries(
    Object.entries(urls).map(([type, patterns]) => [
      type,
      patterns.map(({ source, flags }) => new RegExp(source, flags)),
    ]),
  );
}

/** Does the same for an embedding model. */
function cassetteEmbeddingModel(real: EmbeddingModelV4, recordings: Recordings): EmbeddingModelV4 {
  const doEmbed = async (options: EmbeddingModelV4CallOptions): Promise<EmbeddingModelV4Result> => {
    const { values, providerOptions } = options;
    const asked = recordings.ask(`${real.provider}:${real.modelId}`, { values, providerOptions });
    const [part] = recordings.answerOf(asked) ?? [];
    if (part !== undefined) return { ...(fromJson(part) as Embedded), warnings: [] };
    const { embeddings, usage } = await real.doEmbed(options);
    const counted = usage === undefined ? {} : { usage };
    recordings.record(asked, [{ type: 'embeddings', embeddings, ...counted }]);
    return { embeddings, warnings: [], ...counted };
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

type Embedded = Pick<EmbeddingModelV4Result, 'embeddings' | 'usage'>;

/** Splits `provider:model`; an alias has no provider. */
function splitModelName(ref: string | LanguageModel): { provider: string; modelId: string; name: string } {
  if (typeof ref !== 'string') {
    return { provider: ref.provider, modelId: ref.modelId, name: `${ref.provider}:${ref.modelId}` };
  }
  const colon = ref.indexOf(':');
  return colon === -1
    ? { provider: 'cassette', modelId: ref, name: ref }
    : { provider: ref.slice(0, colon), modelId: ref.slice(colon + 1), name: ref };
}

/**
 * Returns the part of a request that the answer depends on. Ids of tool calls become numbers, because providers make
 * them up.
 */
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

/** Passes the parts of an answer on, and records them at its end. An answer with an error is not recorded. */
function collect(
  onWhole: (parts: readonly LanguageModelV4StreamPart[]) => void,
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const parts: LanguageModelV4StreamPart[] = [];
  return new TransformStream({
    transform(part, controller) {
      if (part.type !== 'raw') parts.push(part);
      // at the finish part and not when the stream closes, because a run may read no further
      if (part.type === 'finish' && !parts.some(({ type }) => type === 'error')) onWhole(parts);
      controller.enqueue(part);
    },
  });
}
