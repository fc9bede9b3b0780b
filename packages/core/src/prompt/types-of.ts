import type { DeepPartial, InferToolInput, InferToolOutput, Tool, ToolSet } from 'ai';
import type { PromptTypes } from '../log/state.ts';
import type { SchemaSource, ToolArguments, ToolSchema } from '../tools/schema.ts';
import type { ToolList } from '../tools/tool-list.ts';
import type { NamedTool } from '../tools/tool.ts';
import type { Plugin } from './prompt.ts';

/** The settings of a prompt from which TypeScript infers its types. */
export type TypedSettings = {
  readonly output?: ToolSchema | undefined;
  readonly tools?: ToolList | undefined;
  readonly plugins?: readonly Plugin[] | undefined;
};

/** The types of the prompt that these settings belong to. */
export type TypesOf<Settings extends TypedSettings> = {
  output: Settings extends { readonly output: infer Schema } ? OutputOf<Schema> : string;
  object: Settings extends { readonly output: infer Schema } ? ObjectOf<Schema> : undefined;
  toolCall: Settings extends { readonly tools: infer Tools extends ToolList }
    ? CallOf<EntryOf<Tools>>
    : AnyCall;
  clientToolCall: Settings extends { readonly tools: infer Tools extends ToolList }
    ? ClientToolCallOf<Extract<EntryOf<Tools>, ClientTool>>
    : AnyClientToolCall;
  clientTools: Settings extends { readonly tools: infer Tools extends ToolList }
    ? ClientToolsOf<Extract<EntryOf<Tools>, ClientTool>>
    : object;
};

type OutputOf<Schema> = Schema extends undefined ? string : ToolArguments<Schema>;

type ObjectOf<Schema> = Schema extends undefined ? undefined : DeepPartial<ToolArguments<Schema>>;

type ClientTool = NamedTool<string, { input: unknown; output: unknown; returned: unknown }>;

/** The client tools among some tools: by name, the arguments of the page's function and what it returns. */
type ClientToolsOf<Tool extends ClientTool> = {
  [Each in Tool as Each['name']]: {
    input: NonNullable<Each['~types']>['input'];
    output: NonNullable<Each['~types']>['returned'];
  };
};

type AnyClientToolCall = PromptTypes['clientToolCall'];

/** A call of one of these client tools. Without any, a call of any tool, because agents may have client tools. */
type ClientToolCallOf<Tool extends ClientTool> = [Tool] extends [never]
  ? AnyClientToolCall
  : Tool extends NamedTool<infer Name, { input: infer Input }>
    ? AnyClientToolCall & { toolName: Name; input: Input }
    : never;

type AnyCall = PromptTypes['toolCall'];

/** The entries of a list of tools, or the single tool set. */
type EntryOf<Tools extends ToolList> = Tools extends readonly (infer Entry)[] ? Entry : Tools;

/** A call of one of these tools; the name distinguishes the types of arguments and results. */
type CallOf<Entry> =
  Entry extends NamedTool<infer Name, { input: infer Input; output: infer Output }>
    ? AnyCall & { toolName: Name; input?: Input; partialInput?: DeepPartial<Input>; output?: Output }
    : Entry extends ToolSet
      ? CallOfSet<Entry>
      : AnyCall;

/** A call of one of the tools of a set. A set with arbitrary names has no types. */
type CallOfSet<Tools extends ToolSet> = string extends keyof Tools
  ? AnyCall
  : {
      [Name in keyof Tools & string]: AnyCall & {
        toolName: Name;
        input?: InferToolInput<Extract<Tools[Name], Tool>>;
        partialInput?: DeepPartial<InferToolInput<Extract<Tools[Name], Tool>>>;
        output?: InferToolOutput<Extract<Tools[Name], Tool>>;
      };
    }[keyof Tools & string];

/** The input of a schema: fields with a default may be left out, and so may an input that is optional. */
export type SchemaInput<Schema> =
  undefined extends SchemaSource<Schema>
    ? // so that a start needs no argument
      SchemaSource<Schema> | void
    : SchemaSource<Schema>;

/** The plugins in the settings. */
export type PluginsOf<Settings extends TypedSettings> = Settings extends {
  readonly plugins: infer Plugins extends readonly Plugin[];
}
  ? Plugins
  : readonly [];
