import type { ToolArguments, ToolSchema } from '../../tools/tool-definition.ts';
import type { Tags, TagValues } from '../tags/tags.ts';

/** Reads an answer. The model reads the error that it throws, and may answer again. */
export type ParseFunction<Value = unknown> = (text: string) => Value | Promise<Value>;

/** The form of an agent's answer: JSON that fits a schema, texts in tags, or what a function returns for the text. */
export type OutputConfig = Exclude<ToolSchema, () => unknown> | Tags | ParseFunction;

/** The type of the answer; without a config, text. */
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
