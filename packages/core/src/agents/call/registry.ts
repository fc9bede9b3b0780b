import { CuelineError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { quoteValue } from '../../base/quote-value.ts';
import { isPromptDefinition, type PromptDefinition } from '../../prompt/define-prompt.ts';
import type { Agent } from './agent.ts';

/** An entry of a registry: an agent, or any other prompt with a name. */
type RegistryEntry = PromptDefinition<never>;

/** Agents and prompts by name, so that the parts of a system need not import each other. */
export type AgentRegistry = {
  /**
   * Registers a definition under its name, and returns it.
   * @throws CuelineError `invalid_options` if the name is taken, unless it is to be replaced
   */
  register<Definition extends RegistryEntry>(
    definition: Definition,
    options?: { replace?: boolean },
  ): Definition;
  /** Returns the agent with this name. @throws CuelineError `invalid_options`, which lists the registered ones */
  get(name: string): Agent;
  /** Returns the prompt with this name, which may be an agent. @throws CuelineError as `get` does */
  prompt(name: string): PromptDefinition<unknown>;
  has(name: string): boolean;
  /** Returns the names, in the order of their first registration. */
  names(): string[];
};

/** Creates an empty registry. */
export function createAgentRegistry(): AgentRegistry {
  const known = new Map<string, RegistryEntry>();

  function find(name: string): RegistryEntry {
    const definition = known.get(name);
    if (definition !== undefined) return definition;
    throw unknownNameError(name, [...known.keys()]);
  }

  return {
    register(definition, { replace = false } = {}) {
      checkDefinition(definition);
      const { name } = definition;
      const other = known.get(name);
      if (other !== undefined && other !== definition && !replace) {
        throw new CuelineError(
          'invalid_options',
          `The name "${name}" is taken by another definition. Give this one another name, or write agents.register(definition, { replace: true }).`,
        );
      }
      known.set(name, definition);
      return definition;
    },
    get(name) {
      const definition = find(name);
      if ('call' in definition) return definition as unknown as Agent;
      throw new CuelineError(
        'invalid_options',
        `"${name}" is a prompt, not an agent, so it cannot be called. Run it: runPrompt(agents.prompt('${name}'), { … }).`,
      );
    },
    // a caller who asks by name has to know the input's type
    prompt: (name) => find(name) as unknown as PromptDefinition<unknown>,
    has: (name) => known.has(name),
    names: () => [...known.keys()],
  };
}

/** The registry of this page or process. */
export const agents: AgentRegistry = createAgentRegistry();

function checkDefinition(definition: unknown): void {
  if (isPromptDefinition(definition)) return;
  throw new CuelineError(
    'invalid_options',
    `agents.register takes what defineAgent or definePrompt returns, but got ${quoteValue(definition)}.`,
  );
}

function unknownNameError(name: string, names: readonly string[]): CuelineError {
  const nearest = nearestName(name, names);
  const advice =
    names.length === 0
      ? 'The registry is empty. Import the module that registers it: agents.register(defineAgent({ … })).'
      : `There are: ${names.join(', ')}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
  return new CuelineError('invalid_options', `No agent or prompt is registered as "${name}". ${advice}`, {
    details: { name, names },
  });
}
