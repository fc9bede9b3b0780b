import type { ToolContext } from '../tools/tool-definition.ts';
import type { AgentContext } from './run-context.ts';

const contexts = new WeakMap<ToolContext, AgentContext>();

/** Remembers who made the call that a tool function is given this context with. */
export function bindAgentContext(context: ToolContext, agentContext: AgentContext): ToolContext {
  contexts.set(context, agentContext);
  return context;
}

/** Who made the call that a tool function was given this context with; undefined for any other object. */
export function agentContextOf(context: ToolContext): AgentContext | undefined {
  return contexts.get(context);
}
