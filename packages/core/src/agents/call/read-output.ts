import { Output, type FlexibleSchema, type OutputInterface } from 'ai';
import { thrownText } from '../../base/error-source.ts';
import { CuelineError } from '../../base/errors.ts';
import { parseWith, toSchema } from '../../tools/schema.ts';
import { readJson } from '../../engine/response-check.ts';
import { isParseFunction, type OutputConfig } from './output-config.ts';
import { parseTags, tagsLine } from '../tags/parse-tags.ts';
import { isTags } from '../tags/tags.ts';

/** How the answers of one call are asked for and read. */
export type OutputReader = {
  /** What providers are asked for, where the answer is JSON. */
  readonly format?: OutputInterface;
  /** What the system prompt says of it. */
  readonly systemLine?: string;
  /** The value of an answer. @throws what the model is to be told */
  parse(text: string): Promise<unknown>;
};

/** The reader that an agent's `output` asks for. @throws CuelineError `invalid_definition` */
export function createOutputReader(name: string, config: OutputConfig | undefined): OutputReader {
  if (config === undefined) return { parse: async (text) => text };
  if (isTags(config)) {
    return { systemLine: tagsLine(config), parse: async (text) => parseTags(config, text) };
  }
  if (isParseFunction(config)) return { parse: async (text) => config(text) };
  const schema = toSchema(name, config);
  return {
    // without the partial objects, which nobody reads: each of them is parsed from the text's beginning
    format: { ...formatOf(name, schema), parsePartialOutput: async () => undefined },
    parse: async (text) => parseWith(schema, readJson(text)),
  };
}

/** What providers are asked for. @throws CuelineError `invalid_definition` where JSON has no word for it, such as a date */
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
