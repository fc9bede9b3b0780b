import type { ToolArguments, ToolSchema } from '../../tools/tool-definition.ts';
import type { Tags, TagValues } from '../tags/tags.ts';

/** Reads an answer. What it throws is told to the model, which may answer again. */
export type ParseFunction<Value = unknown> = (text: string) => Value | Promise<Value>;

/** What an agent's answer is to be: JSON that fits a schema, texts in tags, or whatever a function makes of the text. */
export type OutputConfig = Exclude<ToolSchema, () => unknown> | Tags | ParseFunction;

/** What an answer is read as. Without a config that is its text. */
export type OutputOf<Config> = [Config] extends [undefined]
  ? string
  : Config extends Tags<infer Required, infer Optional, infer List>
    ? TagValues<Required, Optional, List>
    : Config extends { readonly '~standard': unknown }
      ? ToolArguments<Config>
      : Config extends (text: string) => infer Value
        ? Awaited<Value>
        : ToolArguments<Config>;

/** True for a function that reads the text; some schemas are functions, too. */
export function isParseFunction(config: OutputConfig | undefined): config is ParseFunction {
  return typeof config === 'function' && !('~standard' in config);
}
