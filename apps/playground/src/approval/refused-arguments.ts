import type { ApprovalState, RunState } from '@cueline/core';
import { callOf } from './tool-schema.ts';

/** Arguments that the user has sent and the tool's schema has refused, and why. */
export type RefusedArguments = { input: unknown; reason: string };

/** The arguments of the last response to the same call, if the run asks again because they do not fit. */
export function refusedOf(
  state: RunState,
  { toolCallId, agent, reason }: ApprovalState,
): RefusedArguments | undefined {
  // some providers use the id of an earlier call again
  const calledAt = callOf(state, agent, toolCallId)?.calledAt ?? 0;
  const before = state.approvals.findLast(
    (other) =>
      other.toolCallId === toolCallId &&
      other.agent === agent &&
      other.requestedAt >= calledAt &&
      other.response !== undefined,
  );
  if (reason === undefined || before?.response?.approved !== true) return undefined;
  const { input } = before.response;
  return input === undefined ? undefined : { input, reason };
}
