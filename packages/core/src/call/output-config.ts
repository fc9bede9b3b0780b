import { CuelineError } from '../errors.ts';
import type { ToolArguments, ToolSchema } from '../prompt/tool-definition.ts';
import { isTags, type Tags, type TagValues } from './tags.ts';

/** Reads an answer. What it throws is told to the model, which may answer again. */
export type ParseFunction<Value = unknown> = (text: string) => Value | Promise<Value>;

/** What an agent's answer is to be: JSON that fits a schema, texts in tags, or whatever a function makes of the text. */
export type OutputConfig = Exclude<ToolSchema, () => unknown> | Tags | ParseFunction;

/** What an answer is read as. Without a config that is its text. */
export type OutputOf<Config> = [Config] extends [undefined]
  ? string
  : Config extends Tags<infer Required, infer Optional>
    ? TagValues<Required, Optional>
    : Config extends { readonly '~standard': unknown }
      ? ToolArguments<Config>
      : Config extends (text: string) => infer Value
        ? Awaited<Value>
        : ToolArguments<Config>;

/** True for a function that reads the text; some schemas are functions, too. */
export function isParseFunction(config: OutputConfig | undefined): config is ParseFunction {
  return typeof config === 'function' && !('~standard' in config);
}

/** @throws CuelineError `invalid_definition` for what can be no output */
export function checkOutput(name: string, config: unknown): void {
  if (config === undefined || typeof config === 'function') return;
  if (typeof config === 'object' && config !== null && !Array.isArray(config)) {
    // one that was written out by hand has not been checked
    if (!isTags(config) || (Array.isArray(config.required) && Array.isArray(config.optional))) return;
  }
  throw new CuelineError(
    'invalid_definition',
    `The output of agent "${name}" is a schema, tags(['answer']), or a function that reads the text. For the text itself, leave it out.`,
  );
}
