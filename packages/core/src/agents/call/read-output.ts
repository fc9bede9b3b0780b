import { Output, type FlexibleSchema, type OutputInterface } from 'ai';
import { thrownText } from '../../base/error-source.ts';
import { CuelineError } from '../../base/errors.ts';
import { parseWith, toSchema } from '../../tools/schema.ts';
import { readJson } from '../../engine/response-check.ts';
import { isParseFunction, type OutputConfig } from './output-config.ts';
import { parseTags, tagsLine } from '../tags/parse-tags.ts';
import { isTags } from '../tags/tags.ts';

/** How the answers of one call are requested and read. */
export type OutputReader = {
  /** The provider's format option, if the answer is JSON. */
  readonly format?: OutputInterface;
  /** The line about it in the system prompt. */
  readonly systemLine?: string;
  /** Returns the value of an answer. @throws an error for the model */
  parse(text: string): Promise<unknown>;
};

/** Returns the reader for an agent's `output`. @throws CuelineError `invalid_definition` */
export function createOutputReader(name: string, config: OutputConfig | undefined): OutputReader {
  if (config === undefined) return { parse: async (text) => text };
  if (isTags(config)) {
    return { systemLine: tagsLine(config), parse: async (text) => parseTags(config, text) };
  }
  if (isParseFunction(config)) return { parse: async (text) => config(text) };
  const schema = toSchema(name, config);
  return {
    // without partial objects, which nothing reads and each of which would be parsed from the beginning of the text
    format: { ...formatOf(name, schema), parsePartialOutput: async () => undefined },
    parse: async (text) => parseWith(schema, readJson(text)),
  };
}

/**
 * Returns the provider's format option. @throws CuelineError `invalid_definition` for a schema without a JSON Schema,
 * such as a date
 */
function formatOf(name: string, schema: FlexibleSchema): OutputInterface {
  try {
    return Output.object({ schema });
  } catch (error) {
    throw new CuelineError(
      'invalid_definition',
      `The output schema of agent "${name}" cannot be asked for: ${thrownText(error)}. Models answer in JSON. Write what stands there, and make the rest of it: z.string().transform((day) => new Date(day)).`,
      { cause: error },
    );
  }
}
