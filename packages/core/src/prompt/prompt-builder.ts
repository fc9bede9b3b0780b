import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import type { ToolSet } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { isUnawaited } from '../base/is-promise.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import { checkAnswered } from '../messages/check-messages.ts';
import type { MessageContent, MessageRole } from '../messages/message-parts.ts';
import { toModelMessage } from '../messages/to-model-message.ts';
import { clientTool, type ClientToolOptions } from '../tools/client-tool.ts';
import { compositeTool } from '../tools/composite-tool.ts';
import { checkReady, namedTools } from '../tools/named-tools.ts';
import type { ToolSchema } from '../tools/schema.ts';
import { checkToolName, functionTool } from '../tools/tool-definition.ts';
import { isToolList, type ToolList } from '../tools/tool-list.ts';
import type { ToolOptions } from '../tools/tool-types.ts';
import type { NamedTool } from '../tools/tool.ts';
import { agentTool, type AgentDefinition } from './agent.ts';
import { emptyDefinitions, type Definitions, type ToolDefinition } from './definitions.ts';
import type { Hook } from './hook.ts';
import { inputsOf, noteInput } from './prompt-inputs.ts';
import type { AgentOptions, Prompt } from './prompt.ts';
import {
  checkTasks,
  TaskListDefinition,
  type TaskDefinition,
  type TaskListHandle,
  type TaskListOptions,
} from './task-list.ts';
import { addDynamicTools, addStaticTools } from './task-tools.ts';
import { renderTemplate } from './template.ts';
import { dataVariable, textVariable } from './variables.ts';

/** Collects the definitions that a prompt function makes. */
export class PromptBuilder implements Prompt {
  #definitions: Definitions = emptyDefinitions();
  #base: Definitions = this.#definitions;
  #task = false;
  /** The prompts for which methods of plugins are running. What such a method defines goes to the last of them. */
  readonly #targets: PromptBuilder[] = [];
  /** The members of plugins and the replaced methods, as they were given. */
  readonly #members = new Map<string, unknown>();
  #started = false;
  /** True once no more messages can be added. */
  #fixed = false;
  #hasNoTools = false;

  constructor() {
    // methods are bound, so that a prompt function can destructure the prompt: async ({ $, def }) => …
    for (const name of Object.getOwnPropertyNames(PromptBuilder.prototype)) {
      const method: unknown = Object.getOwnPropertyDescriptor(PromptBuilder.prototype, name)?.value;
      if (typeof method !== 'function' || name === 'constructor') continue;
      const bound: unknown = method.bind(this);
      Object.defineProperty(this, name, {
        configurable: true,
        get: () => bound,
        // a replaced method is a member, which the prompts of its tasks get, too
        set: (value: unknown) => {
          this.addMember(name, value);
        },
      });
    }
  }

  /** All definitions so far; of a prompt of a task, those of that task. */
  get definitions(): Definitions {
    return this.#definitions;
  }

  /**
   * Returns the prompt as plugins are set up with it: while one of their methods is called for a task, it defines for
   * that task. The prompt of the prompt function always defines for the whole run. Called by the runner.
   */
  forPlugins(): this {
    return new Proxy(this, {
      get: (prompt, name) => {
        // a plugin that calls another one's method defines for the same prompt
        if (this.#members.has(name as string)) return this.#members.get(name as string);
        const isMethod = Object.getOwnPropertyDescriptor(prompt, name)?.get !== undefined;
        if (!isMethod) return Reflect.get(prompt, name) as unknown;
        // found when it is called, because plugins keep methods: ({ def }) => …
        const method = Reflect.get(PromptBuilder.prototype, name) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => method.apply(this.#targets.at(-1) ?? this, args);
      },
    });
  }

  /**
   * Adds a member of a plugin, or a method that replaces one. Its methods define for this prompt. Called by the
   * runner.
   */
  addMember(name: string, member: unknown): void {
    this.#members.set(name, member);
    this.#showMember(this, name, member);
  }

  $(strings: TemplateStringsArray, ...values: unknown[]): void {
    if (!Array.isArray(strings) || !('raw' in strings)) {
      throw new CuelineError(
        'invalid_definition',
        "prompt.$ is a template tag, so write it without parentheses: prompt.$`…`. To add a string, use prompt.defMessage('user', text).",
      );
    }
    this.defMessage('user', renderTemplate(strings, values));
  }

  def(name: string, content: string): string {
    this.#definitions.variables.set(name, textVariable(name, content));
    return `<${name}>`;
  }

  defData(name: string, data: object): string {
    this.#definitions.variables.set(name, dataVariable(name, data));
    return `<${name}>`;
  }

  defSystem(
    ...[name, value, options = {}]: [
      name: string,
      value?: string,
      options?: { providerOptions?: ProviderOptions | undefined },
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
        `prompt.defSystem('${name}', …) takes a string, but got ${isUnawaited(value) ? 'a promise. Write await before it' : quoteValue(value)}.`,
      );
    }
    this.#definitions.system.set(name, {
      value,
      ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions }),
    });
  }

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

  defTool(
    name: string,
    description: string | ToolSet[string],
    schema?: ToolSchema | readonly (NamedTool | ToolSet)[],
    ...rest: [fnOrOptions?: unknown, options?: ToolOptions]
  ): void {
    if (isRecord(description) && schema === undefined) return this.defTools({ [name]: description });
    // a missing description or function is reported with the tool's name
    this.#addTool(name, toolOf(name, description as string, schema as ToolSchema, rest));
  }

  defTools(tools: ToolList): void {
    if (!isToolList(tools)) {
      throw new CuelineError(
        'invalid_definition',
        `prompt.defTools takes tools of the AI SDK by name, or a list of what tool(…) returns, but got ${quoteValue(tools)}. Write prompt.defTools(await mcpClient.tools()).`,
      );
    }
    for (const named of namedTools(tools)) {
      const { name, description, schema, options, ready } = named;
      checkToolName(name);
      if (ready !== undefined) this.#addTool(name, { kind: 'ready', tool: ready as ToolSet[string] });
      else if ('fn' in named) this.defTool(name, description, schema, named.fn, options as ToolOptions);
      else this.defTool(name, description, schema, options);
    }
  }

  defAgent(
    name: string,
    description: string,
    schema: ToolSchema,
    fn: (...args: never) => void | Promise<void>,
    options?: AgentOptions,
  ): void {
    // the runner adds the methods of the plugins to the prompt before it calls the function
    const run = fn as AgentDefinition['run'];
    this.#addTool(name, agentTool(name, description, schema, run, options));
  }

  defHook(hook: Hook): void {
    if (typeof hook !== 'function') {
      throw new CuelineError(
        'invalid_definition',
        'prompt.defHook takes a function: prompt.defHook(({ stepNumber }) => ({ activeTools: [] })).',
      );
    }
    this.#definitions.hooks.push(hook);
  }

  defTaskList(tasks: readonly TaskDefinition[], options?: TaskListOptions): TaskListHandle {
    checkTasks(tasks);
    checkNames('prompt.defTaskList', options, ['maxAttempts', 'maxNudges'], 'invalid_definition');
    // `extend` gets this prompt, or a prompt of the task with the same methods
    return this.#addTaskList(new TaskListDefinition('static', tasks, options), addStaticTools);
  }

  defDynamicTaskList(options?: Pick<TaskListOptions, 'maxNudges'>): TaskListHandle {
    checkNames('prompt.defDynamicTaskList', options, ['maxNudges'], 'invalid_definition');
    return this.#addTaskList(new TaskListDefinition('dynamic', [], options), addDynamicTools);
  }

  /**
   * Adds the caller's ready-made tools. From here on, the messages that the run starts with are fixed. Called by the
   * runner.
   */
  start(tools: ToolSet = {}): void {
    for (const [name, tool] of Object.entries(tools)) this.#addTool(name, { kind: 'ready', tool });
    this.#started = this.#fixed = true;
    this.#hasNoTools = this.#definitions.tools.size === 0;
  }

  /**
   * Calls `define`, and returns its definitions, separate from those that existed before. Called by the runner
   * when a task begins.
   */
  async layer(define: (prompt: this) => void | Promise<void>): Promise<Definitions> {
    const layer = emptyDefinitions();
    const scoped = new PromptBuilder();
    scoped.#definitions = layer;
    scoped.#base = this.#base;
    scoped.#task = true;
    noteInput(scoped, ...inputsOf(this));
    // plugins define on the prompt that they were set up with, which passes definitions on to the task while one of
    // their methods runs
    for (const [name, member] of this.#members) this.#showMember(scoped, name, member);
    await define(scoped as this);
    checkAnswered(layer.messages);
    scoped.#fixed = true;
    return layer;
  }

  #showMember(prompt: PromptBuilder, name: string, member: unknown): void {
    const value: unknown =
      typeof member === 'function'
        ? (...args: unknown[]) =>
            this.#callFor(prompt, () => (member as (...args: unknown[]) => unknown)(...args))
        : member;
    Object.defineProperty(prompt, name, {
      enumerable: true,
      configurable: true,
      get: () => value,
      set: (next: unknown) => {
        prompt.addMember(name, next);
      },
    });
  }

  /** Calls a method of a plugin that defines for this prompt, or for the prompt of a task. */
  #callFor<Value>(target: PromptBuilder, call: () => Value): Value {
    const targets = this.#targets;
    targets.push(target);
    const leave = (): void => void targets.splice(targets.lastIndexOf(target), 1);
    let returned: Value;
    try {
      returned = call();
    } catch (error) {
      leave();
      throw error;
    }
    // an async method of a task defines until it has settled, also while one of the prompt itself waits
    if (target !== this && returned instanceof Promise) return returned.finally(leave) as Value;
    leave();
    return returned;
  }

  #addSystemText(text: string): void {
    // a text that the author leaves empty on a condition
    if (text.trim() === '') return;
    const { system } = this.#definitions;
    const before = system.get('');
    system.set('', { value: before === undefined ? text : `${before.value}\n\n${text}` });
  }

  #addTool(name: string, tool: ToolDefinition): void {
    if (tool.kind === 'ready') checkReady(name, tool.tool);
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
