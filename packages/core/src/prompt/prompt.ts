import type { ToolContext, ToolOptions } from '../tools/tool-types.ts';
import type { ToolArguments, ToolSchema } from '../tools/schema.ts';
import type { ToolSet } from 'ai';
import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import { CuelineError } from '../base/errors.ts';
import { checkAnswered } from '../messages/call-order.ts';
import type { MessageContent, MessageRole } from '../messages/message-parts.ts';
import { renderTemplate } from './template.ts';
import { toModelMessage } from '../messages/to-model-message.ts';
import { agentTool, type AgentFunction, type AgentDefinition, type AgentOptions } from './agent.ts';
import { clientTool, type ClientToolOptions } from '../tools/client-tool.ts';
import { compositeTool, type CompositeOptions } from '../tools/composite-tool.ts';
import type { Plugin } from './define-plugin.ts';
import { inputsOf, noteInput } from './prompt-inputs.ts';
import type { Hook } from './hook.ts';
import { checkNames } from '../base/check-names.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import {
  checkTasks,
  TaskListDefinition,
  type TaskDefinition,
  type TaskListHandle,
  type TaskListOptions,
} from './task-list.ts';
import { addDynamicTools, addStaticTools } from './task-tools.ts';
import type { NamedTool } from '../tools/tool.ts';
import { namedTools } from '../tools/named-tools.ts';
import { isToolList, type ToolList } from '../tools/tool-list.ts';
import { defineTool } from './define-tool.ts';
import { emptyDefinitions, type Definitions, type ToolDefinition } from './definitions.ts';
import { checkToolName, functionTool } from '../tools/tool-definition.ts';
import { dataVariable, textVariable } from './variables.ts';

/**
 * The argument of a prompt function. Its methods make definitions; nothing is sent and no tool runs until the
 * function has returned. Variables, system parts and tools that are defined later, from inside a tool, apply
 * from the next step on.
 */
export class Prompt {
  #definitions: Definitions = emptyDefinitions();
  #base: Definitions = this.#definitions;
  #task = false;
  #started = false;
  /** True once no more messages can be added. */
  #fixed = false;
  #hasNoTools = false;

  constructor() {
    // … => methods are bound, so that a script can destructure the prompt: async ({ $, def }) => … => …
    for (const name of Object.getOwnPropertyNames(Prompt.prototype)) {
      const method: unknown = Object.getOwnPropertyDescriptor(Prompt.prototype, name)?.value;
      if (typeof method !== 'function' || name === 'constructor') continue;
      const bound: unknown = method.bind(this);
      Object.defineProperty(this, name, {
        configurable: true,
        get: () => bound,
        // a replaced method is an own property, which the prompts of its tasks get, too
        set: (value: unknown) => {
          Object.defineProperty(this, name, { value, enumerable: true, writable: true, configurable: true });
        },
      });
    }
  }

  /** All definitions so far; inside a task's `extend`, those of that task. @internal */
  get definitions(): Definitions {
    return this.#definitions;
  }

  /**
   * Adds a user message. The template's indentation is removed. A File, a Blob, the URL of an image, and a part
   * made by `textPart`, `imagePart`, `filePart` or `audioPart` is sent as a part of its own, between the texts
   * around it.
   *
   * @example prompt.$`Help ${name} plan the day.`
   * @example prompt.$`What does ${file} say about ${topic}?`
   */
  $(strings: TemplateStringsArray, ...values: unknown[]): void {
    if (!Array.isArray(strings) || !('raw' in strings)) {
      throw new CuelineError(
        'invalid_definition',
        "prompt.$ is a template tag, so write it without parentheses: prompt.$`…`. To add a string, use prompt.defMessage('user', text).",
      );
    }
    this.defMessage('user', renderTemplate(strings, values));
  }

  /**
   * Defines a variable at the front of the system prompt. Defining a name again replaces its value in place.
   * @returns `<NAME>`, a reference to the value for messages
   */
  def(name: string, content: string): string {
    this.#definitions.variables.set(name, textVariable(name, content));
    return `<${name}>`;
  }

  /**
   * Defines a variable whose value is data; the model reads it as YAML.
   * @returns `<NAME>`, a reference to the value for messages
   */
  defData(name: string, data: object): string {
    this.#definitions.variables.set(name, dataVariable(name, data));
    return `<${name}>`;
  }

  /**
   * Adds a named part to the system prompt, or replaces the part of that name. With `providerOptions`, such as
   * Anthropic's cache control, it is sent as a separate system message. A text without a name is sent
   * unchanged; several follow each other.
   *
   * @example prompt.defSystem('role', 'You are a travel guide.');
   * @example prompt.defSystem('You are a travel guide.');
   */
  defSystem(text: string): void;
  defSystem(name: string, value: string, options?: { providerOptions?: ProviderOptions }): void;
  defSystem(
    ...[name, value, options = {}]: [
      name: string,
      value?: string,
      options?: { providerOptions?: ProviderOptions },
    ]
  ): void {
    // counts arguments, because a value that is missing by mistake is passed as undefined
    if (arguments.length === 1 && typeof name === 'string') return this.#addSystemText(name);
    checkNames('prompt.defSystem', options, ['providerOptions'], 'invalid_definition');
    if (typeof name !== 'string' || name.trim() === '' || /[\n<>]/.test(name)) {
      throw new CuelineError(
        'invalid_definition',
        `"${name}" cannot name a part of the system prompt. Use one line of text, such as 'role'.`,
      );
    }
    if (typeof value !== 'string') {
      throw new CuelineError(
        'invalid_definition',
        `prompt.defSystem('${name}', …) takes a string, but got ${quoteValue(value)}.`,
      );
    }
    this.#definitions.system.set(name, {
      value,
      ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions }),
    });
  }

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
  defMessage<Role extends MessageRole>(role: Role, content: MessageContent[Role]): void {
    if (this.#fixed) {
      throw new CuelineError(
        'invalid_definition',
        'The run has started, so its first messages are fixed. Return the text from the tool instead.',
      );
    }
    const { messages } = this.#definitions;
    messages.push(toModelMessage(role, content, messages, inputsOf(this)));
  }

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
  defTool(
    name: string,
    description: string | ToolSet[string],
    schema?: ToolSchema | readonly (NamedTool | ToolSet)[],
    ...rest: [fnOrOptions?: unknown, options?: ToolOptions]
  ): void {
    if (isRecord(description)) return this.defTools({ [name]: description });
    // a missing function is reported with the tool's name
    this.#addTool(name, toolOf(name, description, schema as ToolSchema, rest));
  }

  /**
   * Registers tools of the AI SDK by name, such as those of an MCP client or of a provider, or a list of tool
   * sets and of tools that `tool(…)` returned. Tools of the AI SDK keep their own `toModelOutput`.
   * `options.approval` counts them as `external`, unless their server says that they only read.
   *
   * @example prompt.defTools(await mcpClient.tools());
   */
  defTools(tools: ToolList): void {
    if (!isToolList(tools)) {
      throw new CuelineError(
        'invalid_definition',
        `prompt.defTools takes tools of the AI SDK by name, or a list of what tool(…) returns, but got ${quoteValue(tools)}. Write prompt.defTools(await mcpClient.tools()).`,
      );
    }
    for (const named of namedTools(tools)) {
      const { name, ready } = named;
      checkToolName(name);
      if (ready === undefined) defineTool(this, named);
      else this.#addTool(name, { kind: 'ready', tool: ready as ToolSet[string] });
    }
  }

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
  ): void {
    // the runner adds the methods of the plugins to the prompt before it calls the function
    const run = fn as unknown as AgentDefinition['run'];
    this.#addTool(name, agentTool(name, description, schema, run, options));
  }

  /**
   * Registers a function that is called before each step and may change what the step sends. Hooks are called
   * in order, and each sees the changes of the earlier ones.
   *
   * @example
   * prompt.defHook(({ stepNumber }) => (stepNumber === 0 ? { activeTools: ['search'] } : {}));
   */
  defHook(hook: Hook): void {
    if (typeof hook !== 'function') {
      throw new CuelineError(
        'invalid_definition',
        'prompt.defHook takes a function: prompt.defHook(({ stepNumber }) => ({ activeTools: [] })).',
      );
    }
    this.#definitions.hooks.push(hook);
  }

  /**
   * Gives the model tasks to work through in their order, with the tools `startTask` and `finishTask`. The
   * model reads the feedback on a result that a task's `validation` does not accept; the run does not end while
   * a task is open.
   *
   * @returns the current tasks, and a method to edit them during the run
   */
  defTaskList(tasks: readonly TaskDefinition<this>[], options?: TaskListOptions): TaskListHandle {
    checkTasks(tasks as readonly TaskDefinition[]);
    checkNames('prompt.defTaskList', options, ['maxAttempts', 'maxNudges'], 'invalid_definition');
    // `extend` gets this prompt, or a prompt of the task with the same methods
    return this.#addTaskList(
      new TaskListDefinition('static', tasks as readonly TaskDefinition[], options),
      addStaticTools,
    );
  }

  /**
   * Lets the model write its own task list, with the tools `createTask`, `updateTask`, `startTask`,
   * `completeTask`, `getTaskList` and `deleteTask`. The run does not end while a task on it is open.
   *
   * @returns the current tasks, and a method to edit them during the run
   */
  defDynamicTaskList(options?: Pick<TaskListOptions, 'maxNudges'>): TaskListHandle {
    checkNames('prompt.defDynamicTaskList', options, ['maxNudges'], 'invalid_definition');
    return this.#addTaskList(new TaskListDefinition('dynamic', [], options), addDynamicTools);
  }

  /**
   * Adds the caller's ready-made tools. From here on, the messages that the run starts with are fixed. Called by the
   * runner. @internal
   */
  start(tools: ToolSet = {}): void {
    for (const [name, tool] of Object.entries(tools)) this.#addTool(name, { kind: 'ready', tool });
    this.#started = this.#fixed = true;
    this.#hasNoTools = this.#definitions.tools.size === 0;
  }

  /**
   * Calls `define`, and returns its definitions, separate from those that existed before. Called by the runner
   * when a task begins. @internal
   */
  async layer(define: (prompt: this) => void | Promise<void>): Promise<Definitions> {
    const layer = emptyDefinitions();
    const scoped = new Prompt();
    scoped.#definitions = layer;
    scoped.#base = this.#base;
    scoped.#task = true;
    noteInput(scoped, ...inputsOf(this));
    // plugins define on the prompt that they were set up with, so that prompt uses the task's definitions while
    // one of their methods runs
    for (const [name, value] of Object.entries(this)) {
      const method: unknown =
        typeof value === 'function'
          ? (...args: unknown[]) => this.#within(layer, () => value(...args))
          : value;
      Object.defineProperty(scoped, name, { value: method, enumerable: true });
    }
    await define(scoped as this);
    checkAnswered(layer.messages);
    scoped.#fixed = true;
    return layer;
  }

  #within<Value>(layer: Definitions, call: () => Value): Value {
    this.#definitions = layer;
    this.#task = true;
    this.#fixed = false;
    try {
      return call();
    } finally {
      this.#definitions = this.#base;
      this.#task = false;
      this.#fixed = true;
    }
  }

  #addSystemText(text: string): void {
    const { system } = this.#definitions;
    const before = system.get('');
    system.set('', { value: before === undefined ? text : `${before.value}\n\n${text}` });
  }

  #addTool(name: string, tool: ToolDefinition): void {
    if (this.#hasNoTools && !this.#task) {
      throw new CuelineError(
        'invalid_definition',
        `The run has started without tools, so ${name} cannot be added now. Define it in the prompt function.`,
      );
    }
    // a tool of a task may replace one of the prompt, but not a tool of the task list
    if (this.#definitions.tools.has(name) || this.#base.taskList?.tools.has(name) === true) {
      throw new CuelineError(
        'invalid_definition',
        `A tool named ${name} already exists. Give this one another name.`,
      );
    }
    this.#definitions.tools.set(name, tool);
  }

  #addTaskList(list: TaskListDefinition, addTools: (list: TaskListDefinition) => void): TaskListHandle {
    if (this.#task) {
      throw new CuelineError(
        'invalid_definition',
        'A task cannot have a task list of its own. Give the task an agent with prompt.defAgent, and the agent the list.',
      );
    }
    if (this.#base.taskList !== undefined) {
      throw new CuelineError(
        'invalid_definition',
        'The prompt already has a task list. Put all tasks into one list.',
      );
    }
    if (this.#started) {
      throw new CuelineError(
        'invalid_definition',
        'The run has started, so a task list cannot be added now. Define it in the prompt function.',
      );
    }
    addTools(list);
    for (const [name, tool] of list.tools) this.#addTool(name, tool);
    this.#base.taskList = list;
    return list;
  }
}

/** Returns the tool that the arguments of `defTool` describe. @throws CuelineError `invalid_definition` */
function toolOf(
  name: string,
  description: string,
  schema: ToolSchema | readonly (NamedTool | ToolSet)[],
  rest: readonly [fnOrOptions?: unknown, options?: ToolOptions],
): ToolDefinition {
  const [fnOrOptions, options] = rest;
  if (Array.isArray(schema)) {
    return compositeTool(name, description, schema, fnOrOptions as ToolOptions | undefined);
  }
  // counts arguments, because a function that is missing by mistake is passed as undefined
  const isClient = rest.length === 0 || (rest.length === 1 && isRecord(fnOrOptions));
  // anything but a list is a schema, which TypeScript does not infer for a readonly list
  return isClient
    ? clientTool(name, description, schema as ToolSchema, fnOrOptions as ClientToolOptions<never>)
    : functionTool(name, description, schema as ToolSchema, fnOrOptions as () => unknown, options);
}
