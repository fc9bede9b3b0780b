import type { ApprovalState, RunState, ToolCallState } from '@cueline/core';

/**
 * The JSON Schema of a waiting call's arguments, as the request of its step sent it to the model. Undefined for a call
 * whose tool is not in that request, such as a call of a run whose server keeps its requests to itself.
 */
export function inputSchemaOf(
  state: Pick<RunState, 'agents' | 'steps' | 'toolCalls'>,
  { agent, toolCallId, toolName }: Pick<ApprovalState, 'agent' | 'toolCallId' | 'toolName'>,
): unknown {
  const call = callOf(state, agent, toolCallId);
  const owner = ownerOf(state, agent);
  const step = owner?.steps.findLast((each) => each.step === call?.step);
  return step?.request.tools.find(({ name }) => name === toolName)?.inputSchema;
}

/** The latest call with this id. */
export function callOf(
  state: Pick<RunState, 'agents' | 'steps' | 'toolCalls'>,
  agent: string | undefined,
  toolCallId: string,
): ToolCallState | undefined {
  return ownerOf(state, agent)?.toolCalls.findLast((call) => call.toolCallId === toolCallId);
}

function ownerOf(state: Pick<RunState, 'agents' | 'steps' | 'toolCalls'>, agent: string | undefined) {
  return agent === undefined ? state : state.agents.findLast(({ path }) => path === agent);
}
