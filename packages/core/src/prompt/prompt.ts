import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import type { LanguageModel, ToolSet } from 'ai';
import type { MessageContent, MessageRole } from '../messages/message-parts.ts';
import type { ClientToolOptions } from '../tools/client-tool.ts';
import type { CompositeOptions } from '../tools/composite-tool.ts';
import type { ToolArguments, ToolSchema } from '../tools/schema.ts';
import type { ToolList } from '../tools/tool-list.ts';
import type { ToolContext, ToolOptions } from '../tools/tool-types.ts';
import type { NamedTool } from '../tools/tool.ts';
import type { AgentCallSettings } from './call-settings.ts';
import type { Hook } from './hook.ts';
import type { TaskDefinition, TaskListHandle, TaskListOptions } from './task-list.ts';

// the types of prompts, plugins and agents share a file, because they refer to each other

/**
 * The argument of a prompt function. Its methods make definitions; nothing is sent and no tool runs until the
 * function has returned. Variables, system parts and tools that are defined later, from inside a tool, apply
 * from the next step on.
 */
export interface Prompt {
  /**
   * Adds a user message. The template's indentation is removed. A File, a Blob, the URL of an image, and a part
   * made by `textPart`, `imagePart`, `filePart` or `audioPart` is sent as a part of its own, between the texts
   * around it.
   *
   * @example prompt.$`Help ${name} plan the day.`
   * @example prompt.$`What does ${file} say about ${topic}?`
   */
  $(strings: TemplateStringsArray, ...values: unknown[]): void;

  /**
   * Defines a variable at the front of the system prompt. Defining a name again replaces its value in place.
   * @returns `<NAME>`, a reference to the value for messages
   */
  def(name: string, content: string): string;

  /**
   * Defines a variable whose value is data; the model reads it as YAML.
   * @returns `<NAME>`, a reference to the value for messages
   */
  defData(name: string, data: object): string;

  /**
   * Adds a named part to the system prompt, or replaces the part of that name. With `providerOptions`, such as
   * Anthropic's cache control, it is sent as a separate system message. A text without a name is sent
   * unchanged; several follow each other.
   *
   * @example prompt.defSystem('role', 'You are a travel guide.');
   * @example prompt.defSystem('You are a travel guide.');
   */
  defSystem(text: string): void;
  defSystem(name: string, value: string, options?: { providerOptions?: ProviderOptions | undefined }): void;

  /**
   * Adds a message to the conversation that the run starts with: a string, or a list of parts, such as text,
   * images and files of the user, tool calls of the assistant, and results of tools. For the system prompt, use
   * `defSystem`.
   *
   * @example
   * prompt.defMessage('user', [
   *   { type: 'text', text: 'Describe the image.' },
   *   { type: 'image', image: 'https://example.com/image.png' },
   * ]);
   */
  defMessage<Role extends MessageRole>(role: Role, content: MessageContent[Role]): void;

  /**
   * Registers a tool that the model can call. The function's arguments are inferred from the schema and have
   * passed it. The model reads its return value or its error; the outputs of an async generator are shown as
   * they come, and the last one is the result.
   *
   * Without a function it is a client tool: a call waits until the page has responded, with its function of
   * this name in `usePrompt(…, { tools })` or `createRun(…, { tools })`, or by `respondToClientTool`.
   *
   * With a list of `tool(…)` instead of a schema and a function, it is a composite tool: the model makes
   * several calls at once, and each has its own result.
   *
   * @example
   * prompt.defTool('getWeather', 'Weather for a city', z.object({ city: z.string() }), async ({ city }) => lookUp(city));
   */
  defTool<const Schema extends ToolSchema>(
    name: string,
    description: string,
    schema: Schema,
    fn: (args: ToolArguments<Schema>, context: ToolContext) => unknown,
    options?: ToolOptions<ToolArguments<Schema>>,
  ): void;
  defTool(
    name: string,
    description: string,
    tools: readonly (NamedTool | ToolSet)[],
    options?: CompositeOptions,
  ): void;
  /** A tool of the AI SDK, under this name. */
  defTool(name: string, tool: ToolSet[string]): void;
  defTool<const Schema extends ToolSchema>(
    name: string,
    description: string,
    schema: Schema,
    options?: ClientToolOptions<ToolArguments<Schema>>,
  ): void;

  /**
   * Registers tools of the AI SDK by name, such as those of an MCP client or of a provider, or a list of tool
   * sets and of tools that `tool(…)` returned. Tools of the AI SDK keep their own `toModelOutput`.
   * `options.approval` counts them as `external`, unless their server says that they only read.
   *
   * @example prompt.defTools(await mcpClient.tools());
   */
  defTools(tools: ToolList): void;

  /**
   * Registers a tool whose calls are answered by an agent: the function defines the agent's prompt, with the
   * call's arguments. The result is the text of its answer, or the object of `responseSchema`.
   *
   * @example
   * prompt.defAgent('researcher', 'Research a topic', z.object({ topic: z.string() }), async ({ topic }, prompt) => {
   *   prompt.$`Research ${topic} in depth.`;
   * });
   */
  defAgent<const Schema extends ToolSchema, const Plugins extends readonly Plugin[] = readonly []>(
    name: string,
    description: string,
    schema: Schema,
    fn: AgentFunction<ToolArguments<Schema>, Plugins>,
    options?: AgentOptions<Plugins>,
  ): void;

  /**
   * Registers a function that is called before each step and may change what the step sends. Hooks are called
   * in order, and each sees the changes of the earlier ones.
   *
   * @example
   * prompt.defHook(({ stepNumber }) => (stepNumber === 0 ? { activeTools: ['search'] } : {}));
   */
  defHook(hook: Hook): void;

  /**
   * Gives the model tasks to work through in their order, with the tools `startTask` and `finishTask`. The
   * model reads the feedback on a result that a task's `validation` does not accept; the run does not end while
   * a task is open.
   *
   * @returns the current tasks, and a method to edit them during the run
   */
  defTaskList(tasks: readonly TaskDefinition<this>[], options?: TaskListOptions): TaskListHandle;

  /**
   * Lets the model write its own task list, with the tools `createTask`, `updateTask`, `startTask`,
   * `completeTask`, `getTaskList` and `deleteTask`. The run does not end while a task on it is open.
   *
   * @returns the current tasks, and a method to edit them during the run
   */
  defDynamicTaskList(options?: Pick<TaskListOptions, 'maxNudges'>): TaskListHandle;
}

/** Definitions that prompts share, as `definePlugin` returns them. `Methods` are what it adds to `prompt`. */
export type Plugin<Methods extends object = object> = {
  readonly kind: 'plugin';
  readonly name: string;
  readonly setup: (prompt: Prompt) => Methods | undefined | Promise<Methods | undefined>;
};

/** The methods that several plugins together add to `prompt`. */
export type PluginMethods<Plugins extends readonly Plugin[]> = Intersection<
  Plugins[number] extends infer One ? (One extends Plugin<infer Methods> ? Methods : never) : never
>;

type Intersection<Union> = [Union] extends [never]
  ? unknown
  : (Union extends unknown ? (one: Union) => void : never) extends (all: infer All extends object) => void
    ? All
    : object;

/** The function of an agent: like a prompt function, with the call's arguments first and its tool context last. */
export type AgentFunction<Args, Plugins extends readonly Plugin[]> = (
  args: Args,
  prompt: Prompt & PluginMethods<Plugins>,
  context: ToolContext,
) => void | Promise<void>;

/** The options of `defAgent`. */
export type AgentOptions<Plugins extends readonly Plugin[] = readonly Plugin[]> = {
  /** `provider:model`, an alias, or an AI SDK model; default: the parent's. */
  model?: string | LanguageModel | undefined;
  /** The agent's own plugins. It inherits none of its parent's. */
  plugins?: Plugins | undefined;
  /** A schema for the agent's answer. Its parent gets the validated object as the tool's result. */
  responseSchema?: ToolSchema | undefined;
} & AgentCallSettings &
  Pick<ToolOptions, 'effect' | 'repeatable' | 'loopGuard' | 'needsApproval' | 'timeoutMs'>;
