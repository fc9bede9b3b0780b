import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import { providerMessage } from './provider-message.ts';

/** How the model is asked for JSON: with the schema, as any JSON, or only in the instructions. */
const ways = ['schema', 'json', 'instructions'] as const;

/**
 * Returns a model that sends the schema of a structured answer. If the provider refuses that (with a 400, 404, 422 or
 * 501 that names it), this and all later calls have the schema in the instructions instead. A refusal of this one
 * schema (OpenAI's `invalid_json_schema`) stays an error.
 */
export function withSchemaFallback(model: LanguageModelV4): LanguageModelV4 {
  let way = 0;

  async function call<Result>(
    options: LanguageModelV4CallOptions,
    send: (options: LanguageModelV4CallOptions) => PromiseLike<Result>,
  ): Promise<Result> {
    for (;;) {
      const used = way;
      try {
        return await send(optionsFor(options, used));
      } catch (error) {
        if (options.responseFormat?.type !== 'json' || !isSchemaRefusal(error)) throw error;
        if (used === ways.length - 1) throw error;
        // another call may have learned of the refusal meanwhile
        way = Math.max(way, used + 1);
      }
    }
  }

  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => call(options, (changed) => model.doGenerate(changed)),
    doStream: (options) => call(options, (changed) => model.doStream(changed)),
  };
}

function optionsFor(options: LanguageModelV4CallOptions, way: number): LanguageModelV4CallOptions {
  const { responseFormat, prompt } = options;
  if (responseFormat?.type !== 'json' || ways[way] === 'schema') return options;
  const { schema } = responseFormat;
  const instruction =
    schema === undefined
      ? 'Answer with JSON and nothing else.'
      : `Answer with JSON that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
  return {
    ...options,
    prompt: withInstruction(prompt, instruction),
    responseFormat: ways[way] === 'json' ? { type: 'json' } : { type: 'text' },
  };
}

/** Adds the instruction to the one system message, because some servers accept no second one. */
function withInstruction(prompt: LanguageModelV4Prompt, instruction: string): LanguageModelV4Prompt {
  const [first, ...rest] = prompt;
  return first?.role === 'system'
    ? [{ ...first, content: `${first.content}\n\n${instruction}` }, ...rest]
    : [{ role: 'system', content: instruction }, ...prompt];
}

function isSchemaRefusal(error: unknown): boolean {
  if (!APICallError.isInstance(error)) return false;
  const { statusCode, responseBody, data, message } = error;
  if (statusCode === undefined || ![400, 404, 422, 501].includes(statusCode)) return false;
  const texts = [message, providerMessage(data), responseBody?.slice(0, 10_000)].join(' ');
  if (texts.includes('invalid_json_schema')) return false;
  return /response[ _]?format|json_?schema|json_?object|structured[ _-]?output|text\.format/i.test(texts);
}
