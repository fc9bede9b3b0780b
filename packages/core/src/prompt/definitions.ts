import type { ModelMessage, ToolSet } from 'ai';
import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';

/** A value that the system prompt introduces by name. `data` is YAML already. */
export type Variable = { kind: 'text' | 'data'; value: string };

/** A named part of the system prompt. Provider options keep it a message of its own. */
export type SystemPart = { value: string; providerOptions?: ProviderOptions };

/** Everything that a prompt function said, before anything is sent. Inert: nothing here runs by itself. */
export type Definitions = {
  variables: Map<string, Variable>;
  system: Map<string, SystemPart>;
  messages: ModelMessage[];
  /** One object for the whole run: the AI SDK keeps a reference to it and filters it anew at every step. */
  tools: ToolSet;
};

/** Definitions of a prompt that has said nothing yet. */
export function emptyDefinitions(): Definitions {
  return { variables: new Map(), system: new Map(), messages: [], tools: {} };
}
