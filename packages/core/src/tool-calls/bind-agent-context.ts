import type { ToolContext } from '../tools/tool-types.ts';
import type { AgentContext } from './run-context.ts';

const contexts = new WeakMap<ToolContext, AgentContext>();

/** Remembers the agent context of the call that a tool function gets this context with. */
export function bindAgentContext(context: ToolContext, agentContext: AgentContext): ToolContext {
  contexts.set(context, agentContext);
  return context;
}

/**
 * Returns the agent context of the call that a tool function got this context with; undefined for any other object.
 */
export function agentContextOf(context: ToolContext): AgentContext | undefined {
  return contexts.get(context);
}
