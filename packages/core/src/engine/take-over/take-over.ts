import type { ModelMessage, UIMessage } from 'ai';
import { callKey } from '../../base/call-key.ts';
import type { RunPast } from '../../log/run-past.ts';
import { countPromptMessages } from '../../log/log-queries.ts';
import { describeUnfinished, type UnfinishedCall } from '../../log/unfinished-step.ts';
import type { Definitions } from '../../prompt/definitions.ts';
import { settleOpenCalls } from '../../log/settle-open-calls.ts';
import type { AgentContext } from '../../tool-calls/run-context.ts';
import type { ToolApproval } from '../../tool-calls/tool-approval.ts';
import type { ToolRegistry } from '../../tool-calls/tool-registry.ts';
import { finishOwnStep, type OwnOpenCall } from './finish-step.ts';
import type { Recorder } from '../recorder.ts';
import type { Prompt } from '../../prompt/prompt.ts';
import { readTaskPosition, type PastTasks } from './task-position.ts';

/** What a loop needs to continue where another process has left it. */
export type TakeOver = {
  past: RunPast;
  /** The calls that it has left open. */
  calls: readonly OwnOpenCall[];
  /** Where its task list stood. */
  position: PastTasks | undefined;
};

/**
 * Continues a loop before its first model call here: the loop guard learns the earlier calls, and the open calls of the
 * last step are settled, which ends that step. Returns true if a step has ended.
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
    signal: AbortSignal;
  },
): Promise<boolean> {
  const { agentContext, recorder, registry, toolApproval, definitions, signal } = context;
  registry.update(definitions.tools, position?.taskId);
  const firstStep = position?.firstStep ?? 0;
  await registry.remember(
    past.calls.filter(({ step }) => (past.state.steps[step]?.step ?? 0) >= firstStep),
    past.isInvalid,
  );
  const { openStep } = past;
  if (openStep === undefined) return false;
  const onFail = ({ toolCallId }: OwnOpenCall): void => endAgents(past, toolCallId, agentContext);
  await finishOwnStep(calls, messages, { recorder, registry, toolApproval, signal, onFail });
  const { step, finishReason, usage } = openStep;
  agentContext.sink.append({ type: 'step-end', step, finishReason, usage });
  return true;
}

/** Returns the conversation after the prompt's own messages. Open calls have an error, which their results replace. */
export function messagesOf(
  { events, state }: RunPast,
  calls: readonly UnfinishedCall[],
): readonly UIMessage[] {
  return describeUnfinished(state.messages, calls).slice(countPromptMessages(events)).map(withDenials);
}

/** Returns a message in which the provider still reads that its call was refused, as in the run that asked. */
function withDenials(message: UIMessage): UIMessage {
  const isDenied = (part: UIMessage['parts'][number]): boolean =>
    'toolCallId' in part && part.providerExecuted === true && part.state === 'output-denied';
  if (!message.parts.some(isDenied)) return message;
  return {
    ...message,
    parts: message.parts.map((part) =>
      isDenied(part) ? ({ ...part, state: 'approval-responded' } as typeof part) : part,
    ),
  };
}

/** Returns what a loop takes over; `promptMessages` are those that the prompt itself begins with. */
export async function takeOverOf(
  past: RunPast,
  calls: readonly OwnOpenCall[],
  { prompt, promptMessages }: { prompt: Prompt; promptMessages: readonly ModelMessage[] },
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
