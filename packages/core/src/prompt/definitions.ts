import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import type { ModelMessage } from 'ai';
import type { OwnToolDefinition } from '../tools/tool-definition.ts';
import type { AgentTool } from './agent.ts';
import type { Hook } from './hook.ts';
import type { TaskListDefinition } from './task-list.ts';

/** A tool of a prompt, as its function defines it. */
export type ToolDefinition = OwnToolDefinition | AgentTool;

/**
 * A value that the system prompt introduces by name. `value` is the text that the model reads; for `data` it is YAML.
 */
export type Variable = { kind: 'text'; value: string } | { kind: 'data'; value: string; data: object };

/** A named part of the system prompt. Provider options make it a message of its own. */
export type SystemPart = { value: string; providerOptions?: ProviderOptions };

/** All definitions of a prompt function, before anything is sent. */
export type Definitions = {
  variables: Map<string, Variable>;
  system: Map<string, SystemPart>;
  messages: ModelMessage[];
  tools: Map<string, ToolDefinition>;
  hooks: Hook[];
  taskList?: TaskListDefinition;
};

/** Returns empty definitions. */
export function emptyDefinitions(): Definitions {
  return { variables: new Map(), system: new Map(), messages: [], tools: new Map(), hooks: [] };
}

/**
 * Returns definitions with those of a task on top. A name in both has the task's value, in its earlier position.
 * Unnamed text of the system prompt has no name that could be replaced, so the task's follows the prompt's.
 */
export function layered(base: Definitions, layer: Definitions | undefined): Definitions {
  if (layer === undefined) return base;
  const system = new Map([...base.system, ...layer.system]);
  const [own, added] = [base.system.get(''), layer.system.get('')];
  if (own !== undefined && added !== undefined) {
    system.set('', { value: `${own.value}\n\n${added.value}` });
  }
  return {
    ...base,
    variables: new Map([...base.variables, ...layer.variables]),
    system,
    messages: [...base.messages, ...layer.messages],
    tools: new Map([...base.tools, ...layer.tools]),
    hooks: [...base.hooks, ...layer.hooks],
  };
}
