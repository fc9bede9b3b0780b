import type { ToolTypes } from '../prompt-types.ts';
import type { Plugin } from './define-plugin.ts';
import type { ToolArguments, ToolSchema } from './tool-definition.ts';
import type { NamedTool } from './tool.ts';

/** The part of a prompt's settings that says something to TypeScript. */
export type TypedSettings = {
  readonly output?: ToolSchema;
  readonly tools?: readonly NamedTool[];
  readonly plugins?: readonly Plugin[];
};

/** What settings say of the prompt that they belong to. */
export type TypesOf<Settings extends TypedSettings> = {
  output: Settings extends { readonly output: infer Schema } ? ToolArguments<Schema> : string;
  tools: Settings extends { readonly tools: infer Tools extends readonly NamedTool[] }
    ? { [Tool in Tools[number] as Tool['name']]: NonNullable<Tool['~types']> }
    : ToolTypes;
};

/** The plugins that settings name. */
export type PluginsOf<Settings extends TypedSettings> = Settings extends {
  readonly plugins: infer Plugins extends readonly Plugin[];
}
  ? Plugins
  : readonly [];
