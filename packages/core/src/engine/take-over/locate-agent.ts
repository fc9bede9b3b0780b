import { agentLogOf, type AgentLog } from '../../log/agent-log.ts';
import type { RunEventBody } from '../../log/events.ts';
import { readPast, voidingEvent, type RunPast } from '../../log/run-past.ts';
import { toJson } from '../../messages/to-json.ts';
import type { AgentContext } from '../../tool-calls/run-context.ts';
import type { LoopPolicySetup } from '../loop-policy.ts';
import type { OwnOpenCall } from './finish-step.ts';
import { openCallsOf } from './take-over.ts';

/** What tells an agent from the others of its run. */
export type AgentIdentity = {
  name: string;
  /** The call that it answers. If it answers none, the beginning of its path. */
  toolCallId: string;
  /** The key of that call. Default: the prefix of its parent's calls. */
  callBase?: string | undefined;
  /** Its input, for the log. */
  input: unknown;
  policySetup?: LoopPolicySetup | undefined;
};

/** The path of an agent in its run, and what another process has left of it. */
type AgentLocation = {
  path: string;
  /** The prefix of the keys of its calls. */
  callBase: string;
  /** Its log, if it answered the call in another process. */
  known: AgentLog | undefined;
  /** What it takes over, if it has not ended. */
  past: RunPast | undefined;
  calls: readonly OwnOpenCall[];
  /** The event that voids half an answer. */
  voids: RunEventBody | undefined;
};

/** Finds the log of an agent that answers a call, if another process or an earlier attempt of the run has begun it. */
export function locateAgent(parent: AgentContext, call: AgentIdentity): AgentLocation {
  const { toolCallId } = call;
  const retried = retriedPathOf(parent, toolCallId);
  const path = retried ?? parent.runContext.pathOf(parent.path, toolCallId);
  const segment = path.slice(path.lastIndexOf('/') + 1);
  // several prompts may answer one call
  const oldBase = retriedBaseOf(parent, retried) ?? `${call.callBase ?? parent.callBase}/${segment}`;
  // what an agent does after a retry is new, although the call that it answers is not
  const callBase = retried === undefined ? oldBase : `${parent.callBase}/${segment}`;
  const found = findLog(parent, segment, retried !== undefined);
  const known = found !== undefined && isOf(found, call, parent.runContext.secrets) ? found : undefined;
  const located = { path, callBase, known, past: undefined, calls: [], voids: undefined };
  if (known === undefined || known.end !== undefined) return located;
  const voids = voidingEvent(known.events);
  const past = readPast(voids === undefined ? known.events : [...known.events, voids]);
  return { ...located, past, calls: openCallsOf(past, oldBase), voids };
}

/**
 * Waits for the approvals that the provider of an agent has requested in another process. Returns what the agent
 * takes over, with the responses.
 */
export async function awaitProviderApprovals(
  { path, past }: AgentLocation,
  { durable, log, pending }: AgentContext['runContext'],
  signal: AbortSignal | undefined,
): Promise<RunPast | undefined> {
  // of any other run, the log may come from elsewhere, and its approvals with it
  if (durable === undefined || past === undefined || past.openStep !== undefined) return past;
  const approvals = past.state.approvals.filter(
    ({ agent, providerExecuted, response, withdrawn }) =>
      agent === undefined && providerExecuted === true && response === undefined && withdrawn !== true,
  );
  if (approvals.length === 0) return past;
  pending.takeOver({ approvals, clientToolCalls: [] }, path);
  await Promise.all(
    approvals.map(async (approval) => {
      const { approvalId, toolCallId, toolName, input } = approval;
      const request = { approvalId, toolCallId, toolName, input, providerExecuted: true as const };
      await pending.requestApproval(request, signal, path);
    }),
  );
  return readPast(agentLogOf(log.events, path, 0)?.events ?? past.events);
}

/** Returns the prefix of the keys that the calls of an agent's last step had, if the step began in an earlier retry. */
function retriedBaseOf({ agentEvents = [] }: AgentContext, path: string | undefined): string | undefined {
  const start = agentEvents.findLastIndex((event) => event.type === 'agent-start' && event.agent === path);
  const step = agentEvents.findLastIndex((event) => event.type === 'step-start' && event.agent === path);
  const retry = agentEvents.slice(start + 1, Math.max(0, step)).findLast(({ type }) => type === 'run-resume');
  return path !== undefined && retry?.type === 'run-resume' ? `${retry.runId}/${path}` : undefined;
}

/** Returns the path of an agent that continues in an unfinished call of a retried run. */
function retriedPathOf({ runContext, agentEvents }: AgentContext, toolCallId: string): string | undefined {
  const start = agentEvents?.find(
    (event) =>
      event.type === 'agent-start' && event.toolCallId === toolCallId && event.agent?.includes('/') === false,
  );
  const path = start?.agent;
  // the model may use the id of the call again
  return path === undefined || !runContext.claim(path) ? undefined : path;
}

function findLog(
  { past, agentEvents = [] }: AgentContext,
  segment: string,
  isRetried: boolean,
): AgentLog | undefined {
  if (isRetried) return agentLogOf(agentEvents, segment, 0);
  return past === undefined ? undefined : agentLogOf(past.events, segment, past.continuesFrom);
}

/** True for the log of an agent with this name and input: a tool's function may call other ones each time. */
function isOf(
  { start }: AgentLog,
  { name, input, policySetup }: AgentIdentity,
  secrets: readonly string[],
): boolean {
  if (policySetup === undefined) return true;
  return start.name === name && JSON.stringify(start.input) === JSON.stringify(toJson(input, secrets));
}
