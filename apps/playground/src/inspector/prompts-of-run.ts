import type { AgentState, RunState, ToolCallState } from '@cueline/core';
import type { DefinitionKind, DefinitionName } from '../sandbox/script/definition.ts';
import type { FoundDefinition } from '../sandbox/script/find-definitions.ts';

/** What a run and an agent have in common. */
export type Work = Pick<RunState, 'steps' | 'tasks'> & { toolCalls: readonly ToolCallState[] };

/** One prompt of a run: the run itself, or an agent with its path. */
export type PromptOfRun = { work: Work; path?: string; agent?: string };

/** The run and its agents, each with the names of the agents that lead to it, joined with `/`. */
export function promptsOf(state: RunState): PromptOfRun[] {
  const names = new Map<string, string>();
  const agents = state.agents.map((agent): PromptOfRun => {
    const { path, name = '' } = agent;
    const outer = outerName(names, path);
    const own = outer === undefined ? name : `${outer}/${name}`;
    names.set(path, own);
    return { work: agent, path, agent: own };
  });
  return [{ work: state }, ...agents];
}

/** The names of the agents that lead to the agent of this path. An agent starts before those inside it. */
function outerName(names: ReadonlyMap<string, string>, path: string): string | undefined {
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
    const name = names.get(path.slice(0, cut));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The names of the agents that lead to this path, joined with `/`; undefined for the run itself. */
export function namesOf(agents: readonly AgentState[], path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  return agents
    .filter((agent) => path === agent.path || path.startsWith(`${agent.path}/`))
    .toSorted((a, b) => a.path.length - b.path.length)
    .map(({ name = '' }) => name)
    .join('/');
}

/** A definition of the agent whose prompt is itself the run counts as the run's. */
export function agentOf({ agent }: DefinitionName, state: RunState): string | undefined {
  const isRun = agent === state.name && !state.agents.some(({ name }) => name === agent);
  return isRun ? undefined : agent;
}

/** The definitions of a name: those of the agent, else those of the run, else all. */
export function definitionsOf(
  definitions: readonly FoundDefinition[],
  kinds: readonly DefinitionKind[],
  name: string,
  agent: string | undefined,
): readonly FoundDefinition[] {
  const named = definitions.filter((one) => kinds.includes(one.of) && one.name === name);
  const own = named.filter((one) => one.agent === agent);
  if (own.length > 0) return own;
  const ofRun = named.filter((one) => one.agent === undefined);
  return ofRun.length > 0 ? ofRun : named;
}
