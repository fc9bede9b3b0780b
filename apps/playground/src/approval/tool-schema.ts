import type { ApprovalState, RunState } from '@cueline/core';

/**
 * The JSON Schema of a waiting call's arguments, as the request of its step sent it to the model. Undefined for a call
 * whose tool is not in that request, such as a call of a run whose server keeps its requests to itself.
 */
export function inputSchemaOf(
  state: Pick<RunState, 'agents' | 'steps' | 'toolCalls'>,
  { agent, toolCallId, toolName }: Pick<ApprovalState, 'agent' | 'toolCallId' | 'toolName'>,
): unknown {
  const owner = agent === undefined ? state : state.agents.findLast(({ path }) => path === agent);
  const call = owner?.toolCalls.findLast((each) => each.toolCallId === toolCallId);
  const step = owner?.steps.findLast((each) => each.step === call?.step);
  return step?.request.tools.find(({ name }) => name === toolName)?.inputSchema;
}
