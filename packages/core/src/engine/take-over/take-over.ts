import type { ModelMessage, UIMessage } from 'ai';
import { callKey } from '../../base/call-key.ts';
import { agentLogOf } from '../../log/agent-log.ts';
import type { RunEvent } from '../../log/events.ts';
import { countPromptMessages } from '../../log/log-queries.ts';
import { reduceAll } from '../../log/reduce.ts';
import type { RunPast } from '../../log/run-past.ts';
import { settleOpenCalls } from '../../log/settle-open-calls.ts';
import { describeUnfinished, type UnfinishedCall } from '../../log/unfinished-step.ts';
import type { Definitions } from '../../prompt/definitions.ts';
import type { PromptBuilder } from '../../prompt/prompt-builder.ts';
import type { AgentContext } from '../../tool-calls/run-context.ts';
import type { ToolApproval } from '../../tool-calls/tool-approval.ts';
import type { ToolRegistry } from '../../tool-calls/tool-registry.ts';
import { toolsWithModelOutput } from '../../tools/model-output.ts';
import type { LoopPolicy, PolicyPast } from '../loop-policy.ts';
import type { Recorder } from '../recording/recorder.ts';
import { steerOf } from '../steer.ts';
import { finishAgentStep, finishOwnStep, type OwnOpenCall } from './finish-step.ts';
import { readPastTurns, readReceived } from './past-turns.ts';
import { readTaskPosition, type PastTasks } from './task-position.ts';
import { withDenials } from './with-denials.ts';

/** What a loop needs to continue where another process has left it. */
export type TakeOver = {
  past: RunPast;
  /** The calls that it has left open. */
  calls: readonly OwnOpenCall[];
  /** Where its task list stood. */
  position: PastTasks | undefined;
};

/**
 * Continues a loop before its first model call here: the loop guard and the policy learn what has happened, and the
 * open calls of the last step are settled, which ends that step. Returns whether a step has ended, and what the model
 * receives before the next one.
 */
export async function takeOverLoop(
  { past, calls, position }: TakeOver,
  messages: readonly ModelMessage[],
  context: {
    agentContext: AgentContext;
    recorder: Recorder;
    registry: ToolRegistry;
    toolApproval: ToolApproval;
    definitions: Definitions;
    policy: LoopPolicy | undefined;
    instructions: PolicyPast['instructions'];
    signal: AbortSignal;
  },
): Promise<{ hasEndedStep: boolean; received: readonly ModelMessage[] }> {
  const { agentContext, recorder, registry, toolApproval, definitions, policy, signal } = context;
  registry.update(definitions.tools, position?.taskId);
  const firstStep = position?.firstStep ?? 0;
  await registry.remember(
    past.calls.filter(({ step }) => (past.state.steps[step]?.step ?? 0) >= firstStep),
    past.isInvalid,
  );
  const { openStep } = past;
  const tools = toolsWithModelOutput(definitions.tools);
  const received = readReceived(past);
  if (policy?.takeOver !== undefined) {
    const { turns } = await readPastTurns(past, tools);
    await policy.takeOver({
      turns: openStep === undefined ? turns : turns.slice(0, -1),
      open: openStep === undefined ? undefined : turns.at(-1),
      instructions: context.instructions,
      tools: registry.tools,
      ended: false,
    });
  }
  if (openStep === undefined) return { hasEndedStep: false, received };
  const onFail = ({ toolCallId }: UnfinishedCall): void => endAgents(past, toolCallId, agentContext);
  // only the log of a run that is advanced step by step is sure to be its own
  const finish = agentContext.runContext.durable === undefined ? finishAgentStep : finishOwnStep;
  await finish(calls, messages, { recorder, registry, toolApproval, signal, onFail });
  // later calls may have the same ids
  agentContext.runContext.reserve(past, agentContext.path, past.events.length);
  agentContext.runContext.pending.forget(agentContext.path);
  const { step, finishReason, usage } = openStep;
  agentContext.sink.append({ type: 'step-end', step, finishReason, usage });
  if (policy === undefined || agentContext.sink.ended) return { hasEndedStep: true, received };
  const events = ownEvents(agentContext);
  const settled = await readPastTurns({ events, state: reduceAll(events) }, tools);
  const steer = await steerOf(settled.turns.at(-1)!.result, policy);
  if (steer === undefined) return { hasEndedStep: true, received };
  agentContext.sink.append({ type: 'steer', ...steer });
  return { hasEndedStep: true, received: [{ role: 'user', content: steer.text }] };
}

/** Returns the log of a loop, as that of a run of its own. */
function ownEvents({ runContext, path }: AgentContext): readonly RunEvent[] {
  const { events } = runContext.log;
  return path === undefined ? events : (agentLogOf(events, path, 0)?.events ?? []);
}

/** Returns the conversation after the prompt's own messages. Open calls have an error, which their results replace. */
export function messagesOf(
  { events, state }: RunPast,
  calls: readonly UnfinishedCall[],
): readonly UIMessage[] {
  return describeUnfinished(state.messages, calls).slice(countPromptMessages(events)).map(withDenials);
}

/** Returns what a loop takes over; `promptMessages` are those that the prompt itself begins with. */
export async function takeOverOf(
  past: RunPast,
  calls: readonly OwnOpenCall[],
  { prompt, promptMessages }: { prompt: PromptBuilder; promptMessages: readonly ModelMessage[] },
): Promise<TakeOver> {
  const { taskList } = prompt.definitions;
  const position =
    taskList === undefined
      ? undefined
      : await readTaskPosition(past, taskList, prompt, promptMessages.length);
  return { past, calls, position };
}

/** Returns the open calls of a loop, with the keys that their functions had. `callBase` is the prefix of the keys. */
export function openCallsOf({ events, openStep }: RunPast, callBase: string): OwnOpenCall[] {
  if (openStep === undefined) return [];
  const { step } = openStep;
  return settleOpenCalls(events).map((call) => ({
    ...call,
    idempotencyKey: callKey(callBase, step, call.toolCallId),
  }));
}

/** Ends the agents that worked inside a call which is not made again. */
function endAgents({ state }: RunPast, toolCallId: string, { runContext, path }: AgentContext): void {
  for (const agent of state.agents) {
    const isInside = agent.toolCallId === toolCallId && !agent.path.includes('/');
    if (!isInside || agent.status !== 'running') continue;
    const whole = path === undefined ? agent.path : `${path}/${agent.path}`;
    runContext.log.append({ type: 'agent-end', outcome: 'stopped', agent: whole });
  }
}
