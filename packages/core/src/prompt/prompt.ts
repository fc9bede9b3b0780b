import type { ToolSet } from 'ai';
import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import { CuelineError } from '../errors.ts';
import { emptyDefinitions, type Definitions } from './definitions.ts';
import type { MessageContent, MessageRole } from './message-parts.ts';
import { renderTemplate } from './template.ts';
import { toModelMessage } from './to-model-message.ts';
import { createTool, type ToolArguments, type ToolContext, type ToolSchema } from './tool-definition.ts';
import { dataVariable, textVariable } from './variables.ts';

/**
 * What a prompt function talks to. Every call leaves a definition behind; nothing is sent and no tool runs until the
 * function has returned. Variables, system parts and tools that are defined later, from inside a tool, hold from the
 * next step on.
 */
export class Prompt {
  /** What has been defined so far. */
  readonly definitions: Definitions = emptyDefinitions();
  #started = false;
  #toolless = false;

  /**
   * Adds a user message. The template's indentation is removed. A File, a Blob, the URL of an image or a content part
   * that is interpolated is sent as what it is, between the texts around it.
   *
   * @example prompt.$`Help ${name} plan the day.`
   * @example prompt.$`What does ${file} say about ${topic}?`
   */
  $(strings: TemplateStringsArray, ...values: unknown[]): void {
    this.defMessage('user', renderTemplate(strings, values));
  }

  /**
   * Defines a variable at the front of the system prompt. Defining a name again replaces its value in place.
   * @returns `<NAME>`, to stand for the value in messages
   */
  def(name: string, content: string): string {
    this.definitions.variables.set(name, textVariable(name, content));
    return `<${name}>`;
  }

  /**
   * Defines a variable whose value is data; the model reads it as YAML.
   * @returns `<NAME>`, to stand for the value in messages
   */
  defData(name: string, data: object): string {
    this.definitions.variables.set(name, dataVariable(name, data));
    return `<${name}>`;
  }

  /**
   * Adds a named part to the system prompt, or replaces the part of that name. With `providerOptions`, such as
   * Anthropic's cache control, it is sent as a system message of its own.
   */
  defSystem(name: string, value: string, options: { providerOptions?: ProviderOptions } = {}): void {
    if (name.trim() === '' || /[\n<>]/.test(name)) {
      throw new CuelineError(
        'invalid_definition',
        `"${name}" cannot name a part of the system prompt. Use one line of text, such as 'role'.`,
      );
    }
    this.definitions.system.set(name, {
      value,
      ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions }),
    });
  }

  /**
   * Adds a message to the conversation that the run starts with: a text, or a list of parts, such as text, images and
   * files of the user, calls that the assistant made, and what the tools returned. For the system prompt there is
   * `defSystem`.
   *
   * @example
   * prompt.defMessage('user', [
   *   { type: 'text', text: 'Describe the image.' },
   *   { type: 'image', image: 'https://example.com/image.png' },
   * ]);
   */
  defMessage<Role extends MessageRole>(role: Role, content: MessageContent[Role]): void {
    if (this.#started) {
      throw new CuelineError(
        'invalid_definition',
        'The run has started, so its first messages are fixed. Return the text from the tool instead.',
      );
    }
    const { messages } = this.definitions;
    messages.push(toModelMessage(role, content, messages));
  }

  /**
   * Registers a tool that the model can call. The function's arguments are inferred from the schema and have passed it.
   * What it returns (or throws) goes back to the model.
   *
   * @example
   * prompt.defTool('getWeather', 'Weather for a city', z.object({ city: z.string() }), async ({ city }) => lookUp(city));
   */
  defTool<const Schema extends ToolSchema>(
    name: string,
    description: string,
    schema: Schema,
    fn: (args: ToolArguments<Schema>, context: ToolContext) => unknown,
  ): void {
    this.#addTool(name, createTool(name, description, schema, fn));
  }

  /** Adds the caller's ready-made tools. From here on, the messages that the run starts with are fixed. Called by the runner. */
  start(tools: ToolSet = {}): void {
    for (const [name, tool] of Object.entries(tools)) this.#addTool(name, tool);
    this.#started = true;
    this.#toolless = Object.keys(this.definitions.tools).length === 0;
  }

  #addTool(name: string, tool: ToolSet[string]): void {
    if (this.#toolless) {
      throw new CuelineError(
        'invalid_definition',
        `The run has started without tools, so it cannot be given ${name} now. Define it in the prompt function.`,
      );
    }
    if (Object.hasOwn(this.definitions.tools, name)) {
      throw new CuelineError(
        'invalid_definition',
        `There is a tool ${name} already. Give this one another name.`,
      );
    }
    this.definitions.tools[name] = tool;
  }
}
