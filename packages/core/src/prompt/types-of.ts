import type { DeepPartial } from 'ai';
import type { PromptTypes } from '../base/prompt-types.ts';
import type { Plugin } from './define-plugin.ts';
import type { ToolArguments, ToolSchema } from '../tools/tool-definition.ts';
import type { NamedTool } from '../tools/tool.ts';

/** The part of a prompt's settings that says something to TypeScript. */
export type TypedSettings = {
  readonly output?: ToolSchema;
  readonly tools?: readonly NamedTool[];
  readonly plugins?: readonly Plugin[];
};

/** What settings say of the prompt that they belong to. */
export type TypesOf<Settings extends TypedSettings> = {
  output: Settings extends { readonly output: infer Schema } ? ToolArguments<Schema> : string;
  object: Settings extends { readonly output: infer Schema } ? DeepPartial<ToolArguments<Schema>> : undefined;
  toolCall: Settings extends { readonly tools: infer Tools extends readonly NamedTool[] }
    ? CallOf<Tools[number]>
    : AnyCall;
  clientTools: Settings extends { readonly tools: infer Tools extends readonly NamedTool[] }
    ? ClientToolsOf<Extract<Tools[number], ClientTool>>
    : object;
};

type ClientTool = NamedTool<string, { input: unknown; output: unknown; client: true }>;

/** The client tools among some tools: by name, what the page's function gets and gives. */
type ClientToolsOf<Tool extends ClientTool> = {
  [Each in Tool as Each['name']]: {
    input: NonNullable<Each['~types']>['input'];
    output: NonNullable<Each['~types']>['output'];
  };
};

type AnyCall = PromptTypes['toolCall'];

/** A call of one of these tools; the name tells which, and with it what the arguments and the result are. */
type CallOf<Tool> =
  Tool extends NamedTool<infer Name, { input: infer Input; output: infer Output }>
    ? AnyCall & { toolName: Name; input?: Input; partialInput?: DeepPartial<Input>; output?: Output }
    : AnyCall;

/** What a schema takes: fields with a default may be left out. */
export type SchemaInput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined };
}
  ? undefined extends Input
    ? // a start then needs no argument
      Input | void
    : Input
  : ToolArguments<Schema>;

/** The plugins that settings name. */
export type PluginsOf<Settings extends TypedSettings> = Settings extends {
  readonly plugins: infer Plugins extends readonly Plugin[];
}
  ? Plugins
  : readonly [];
