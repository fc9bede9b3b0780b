/** The kinds of things that a script defines. */
export const definitionKinds = ['variable', 'system', 'tool', 'agent', 'message', 'tasks', 'hook'] as const;

export type DefinitionKind = (typeof definitionKinds)[number];

/** What a script defines. */
export type DefinitionName = {
  of: DefinitionKind;
  /**
   * The name in the script. A message is `messages[0]`, by its position in the request; a part of a composite tool has
   * the tool's name and a dot before its own; hooks and task lists are `hooks[0]` and `tasks`.
   */
  name: string;
  /**
   * The names of the agents in whose prompt it is defined, from the outermost, joined with `/`; missing for the run.
   */
  agent?: string | undefined;
};

/** A definition, and the line of the script that makes it, from 1. */
export type DefinitionLine = DefinitionName & { line: number };

export function messageName(index: number): string {
  return `messages[${index}]`;
}

/** The system prompt of a session or an agent call, which has no name of its own. */
export const instructionsName = 'instructions';
