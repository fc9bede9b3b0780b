import type { LanguageModel } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { withoutUndefined } from '../base/without-undefined.ts';
import type { PromptVersion } from '../log/events.ts';
import type { PromptTypes } from '../log/state.ts';
import type { ToolArguments, ToolSchema } from '../tools/schema.ts';
import { isToolList, type ToolList } from '../tools/tool-list.ts';
import { checkName } from './check-name.ts';
import { noteInput } from './prompt-inputs.ts';
import type { Plugin, PluginMethods, Prompt } from './prompt.ts';
import { readInput } from './read-input.ts';
import type { PluginsOf, SchemaInput, TypesOf } from './types-of.ts';

/** A prompt as a function: it defines what to send by calling methods of `prompt`. */
export type PromptFunction<Input = void, Plugins extends readonly Plugin[] = readonly []> = (
  prompt: Prompt & PluginMethods<Plugins>,
  input: Input,
) => void | Promise<void>;

/** The settings of a prompt besides its function. */
export type PromptSettings = {
  /** The model of runs that name none. */
  readonly model?: string | LanguageModel | undefined;
  /** The plugins of every run of this prompt. */
  readonly plugins?: readonly Plugin[] | undefined;
  /**
   * A schema for the answer. The model is asked for JSON that fits it, and reads what is wrong if its answer does not
   * fit, up to three times. `state.object` is the answer while it arrives, and the run's result is the whole answer.
   */
  readonly output?: ToolSchema | undefined;
  /**
   * A schema for the input: zod, valibot, arktype or any other Standard Schema, or JSON Schema. The function is
   * called with the parsed input. Input that does not fit ends the start with `invalid_input`. A route requires a
   * schema for every prompt with input.
   */
  readonly input?: ToolSchema;
  /**
   * Tools of every run of this prompt: tools that `tool(…)` returned, and tool sets of the AI SDK. Declared here and
   * not in the function, so that `state.toolCalls` has the types of their names, arguments and results. The function
   * cannot define a tool of the same name (`invalid_definition`); a task's `extend` can, for its task.
   */
  readonly tools?: ToolList | undefined;
};

/**
 * A prompt function with a name, as {@link definePrompt} returns it. `Input` is the input of a start, and of `run`.
 */
export type PromptDefinition<Input = void, Types extends PromptTypes = PromptTypes> = PromptSettings & {
  readonly kind: 'prompt';
  readonly name: string;
  readonly run: PromptFunction<Input>;
  /** True for a definition that `remotePrompt` returned, which only has a name. */
  readonly remote?: true;
  /** The version of a prompt that a prompt library returned. */
  readonly library?: PromptVersion;
  /**
   * The hook that made this definition of a component's function, so that no server knows it by its name. @internal
   */
  readonly inline?: 'usePrompt' | 'useTaskList';
  /** What a session or an agent call adds to each start. @internal */
  readonly policySetup?: (input: Input) => Promise<object>;
  /** Exists only for TypeScript. */
  readonly '~types'?: Types;
};

/** Makes a misspelt setting a type error: an inferred type would take any other names beside the known ones. */
type OnlySettings<Settings> = { readonly [Name in Exclude<keyof Settings, keyof PromptSettings>]: never };

/** A prompt definition with an input schema, which a route requires for every prompt with input. */
export type PromptWithSchema<Input = never, Types extends PromptTypes = PromptTypes> = PromptDefinition<
  Input,
  Types
> & { readonly input: ToolSchema };

/**
 * Gives a prompt function a name and an input type, so that a component, a worker and a route can import the same
 * thing. With `input`, a schema, the type comes from the schema, and the input is validated before the function is
 * called. A run of a definition with a misspelt setting ends with `invalid_definition`.
 * @throws CuelineError `invalid_definition`
 *
 * @example
 * export const planDay = definePrompt(
 *   'plan-day',
 *   async (prompt, { city }) => {
 *     prompt.$`Plan a day in ${city}.`;
 *   },
 *   { input: z.object({ city: z.string() }) },
 * );
 */
export function definePrompt<const Settings extends PromptSettings & { readonly input: ToolSchema }>(
  name: string,
  run: PromptFunction<ToolArguments<Settings['input']>, PluginsOf<Settings>>,
  settings: Settings & OnlySettings<Settings>,
): PromptWithSchema<SchemaInput<Settings['input']>, TypesOf<Settings>>;
export function definePrompt<
  Input = void,
  const Settings extends PromptSettings & { readonly input?: undefined } = PromptSettings & {
    readonly input?: undefined;
  },
>(
  name: string,
  run: PromptFunction<Input, PluginsOf<Settings>>,
  settings?: Settings & OnlySettings<Settings>,
  // the function alone determines its input, also if the definition is written inside a call of
  // createPromptRoute
): PromptDefinition<NoInfer<Input>, TypesOf<Settings>>;
export function definePrompt<Input, const Settings extends PromptSettings>(
  name: string,
  run: PromptFunction<Input, PluginsOf<Settings>>,
  settings?: Settings,
): PromptDefinition<Input, TypesOf<Settings>> {
  checkName('A prompt', name, "definePrompt('plan-day', (prompt) => { … })");
  if (typeof run !== 'function') {
    throw new CuelineError(
      'invalid_definition',
      `Prompt "${name}" has no function: definePrompt('${name}', (prompt) => { … }).`,
    );
  }
  const { output, tools, input }: PromptSettings = settings ?? {};
  checkSchema(name, 'output', output);
  checkSchema(name, 'input', input);
  checkTools(name, tools);
  return {
    ...withoutUndefined(settings ?? {}),
    kind: 'prompt',
    name,
    run: input === undefined ? run : withSchema(name, input, run),
  };
}

/** A definition's function as the engine calls it: with `waits`, because the engine awaits it in any case. */
export type WaitingFunction<Input> = (
  ...args: [...Parameters<PromptFunction<Input>>, waits: true]
) => void | Promise<void>;

/**
 * Returns the function with validated input. It stays synchronous if both are, so that a prompt that calls another
 * one need not wait.
 */
function withSchema<Input, Plugins extends readonly Plugin[]>(
  name: string,
  schema: ToolSchema,
  run: PromptFunction<Input, Plugins>,
): PromptFunction<Input, Plugins> {
  return (prompt, unchecked, waits?: true) => {
    const input = readInput(name, schema, unchecked, waits);
    const start = (value: unknown): void | Promise<void> => {
      noteInput(prompt, value);
      // the parsed value has the type that the function takes
      return run(prompt, value as Input);
    };
    return input instanceof Promise ? input.then(start) : start(input);
  };
}

function checkSchema(name: string, use: 'input' | 'output', schema: unknown): void {
  if (schema === undefined || typeof schema === 'function' || isRecord(schema)) return;
  throw new CuelineError(
    'invalid_definition',
    `The ${use} of prompt "${name}" must be a schema: { ${use}: z.object({ … }) }.`,
  );
}

function checkTools(name: string, tools: unknown = []): void {
  if (isToolList(tools)) return;
  throw new CuelineError(
    'invalid_definition',
    `The tools of prompt "${name}" must be a list, or AI SDK tools by name: { tools: [tool('look', …)] }.`,
  );
}

/** True for a definition that {@link definePrompt} returned. */
export function isPromptDefinition(value: unknown): value is PromptDefinition<unknown> {
  return isRecord(value) && value['kind'] === 'prompt';
}
