import {
  getToolName,
  isToolUIPart,
  type ModelMessage,
  type StepResult,
  type ToolSet,
  type UIMessage,
} from 'ai';
import { withoutUndefined } from '../../base/without-undefined.ts';
import type { RunEvent } from '../../log/events.ts';
import type { RunPast } from '../../log/run-past.ts';
import type { RunState, StepState } from '../../log/state.ts';
import { causeOf } from '../../messages/steer-cause.ts';
import { toModelMessages } from '../../messages/ui-messages.ts';
import type { UserContext } from '../../prompt/call-settings.ts';
import type { PastTurn } from '../loop-policy.ts';
import { separateAnswers } from '../provider-approvals.ts';
import { callPart, rebuildStep } from './rebuild-step.ts';
import { withDenials } from './with-denials.ts';

type Past = Pick<RunPast, 'events' | 'state'>;
type MessagePart = UIMessage['parts'][number];
type SteeringPart = Extract<MessagePart, { type: 'steering-message' }>;

/** The steps of a log in order, and what the model has received since the last one. */
export type PastTurns = {
  readonly turns: readonly PastTurn[];
  readonly received: readonly ModelMessage[];
};

/** The content of the written message for one step. */
type Block = { received: SteeringPart[]; parts: MessagePart[] };

/** Returns what the model has received since the last step of a log. */
export function readReceived({ events, state }: Past): readonly ModelMessage[] {
  return splitParts(ownParts(events, state)).after.map(toUserMessage);
}

/** Returns the steps of a log without half answers, as a loop policy takes them over. */
export async function readPastTurns({ events, state }: Past, tools: ToolSet): Promise<PastTurns> {
  const { steps } = state;
  const { blocks, after } = splitParts(ownParts(events, state));
  const answers = readAnswers(events);
  const turns: PastTurn[] = [];
  let approvalAnswers: ModelMessage[] = [];
  for (const [index, { received, parts }] of blocks.entries()) {
    const step = steps[index];
    if (step === undefined) break;
    const next = blocks[index + 1]?.received ?? after;
    const feedback = feedbackOf(next);
    const said = await toModelMessages([withDenials({ id: '', role: 'assistant', parts })], tools);
    const { messages: own, answers: answered } = separateAnswers(said);
    turns.push({
      received: [...approvalAnswers, ...received.map(toUserMessage)],
      hasApprovalAnswers: approvalAnswers.length > 0,
      // a list of its own for every step, which few policies read
      get sent() {
        return step.request.messages;
      },
      answers: answers.get(step.step) ?? [],
      result: resultOf(step, parts, own),
      feedback,
      isPaused: parts.some(hasApprovalRequest) || (feedback === undefined && !parts.some(isOwnCall)),
    });
    approvalAnswers = answered.length === 0 ? [] : [{ role: 'tool', content: answered }];
  }
  return { turns, received: after.map(toUserMessage) };
}

/** Returns the parts of the message that the run has written. */
function ownParts(events: readonly RunEvent[], { messages }: RunState): readonly MessagePart[] {
  const opening = events[0]?.type === 'run-start' ? events[0].messages.length : 0;
  return messages[opening]?.parts ?? [];
}

function splitParts(parts: readonly MessagePart[]): { blocks: Block[]; after: SteeringPart[] } {
  const blocks: Block[] = [];
  let received: SteeringPart[] = [];
  for (const part of parts) {
    if (part.type === 'steering-message') received.push(part);
    else if (part.type === 'step-start') {
      blocks.push({ received, parts: [] });
      received = [];
    } else blocks.at(-1)?.parts.push(part);
  }
  return { blocks, after: received };
}

function toUserMessage({ parts }: SteeringPart): ModelMessage {
  if (parts.every(({ type }) => type === 'text')) return { role: 'user', content: textOf(parts) };
  const content = parts.map((part) => {
    if (part.type === 'text') return { type: part.type, text: part.text };
    const { type, mediaType, filename, url, providerReference } = part;
    return withoutUndefined({ type, mediaType, filename, data: providerReference ?? new URL(url) });
  });
  return { role: 'user', content };
}

function textOf(parts: readonly MessagePart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns the feedback of a policy among the messages that the model has received. */
function feedbackOf(received: readonly SteeringPart[]): PastTurn['feedback'] {
  for (const part of received) {
    const cause = causeOf(part.id);
    if (cause !== 'session' && cause !== 'call' && cause !== 'correction') continue;
    // the id of a correction names the code of the error, if there was one
    const [, code, ...rest] = part.id.split('-');
    return {
      text: textOf(part.parts),
      corrects: cause === 'correction',
      code: rest.length === 0 ? undefined : code,
    };
  }
  return undefined;
}

/** Returns what agents that answer no call have answered with, by the step that they came before. */
function readAnswers(events: readonly RunEvent[]): Map<number, string[]> {
  const answers = new Map<number, string[]>();
  let isBetween = true;
  let since: string[] = [];
  for (const event of events) {
    if (event.type === 'agent-end' && isBetween && event.agent?.includes('/') === false) {
      if (event.outcome === 'done' && typeof event.output === 'string') since.push(event.output);
    }
    if (event.agent !== undefined) continue;
    if (event.type === 'step-start') {
      isBetween = false;
      answers.set(event.step, since);
    } else if (event.type === 'step-end') {
      isBetween = true;
      since = [];
    }
  }
  return answers;
}

/** True for a call whose result the model gets from this run, so that another step follows. */
function isOwnCall(part: MessagePart): boolean {
  return isToolUIPart(part) && part.providerExecuted !== true;
}

/** True for a call that the provider asked an approval for. */
function hasApprovalRequest(part: MessagePart): boolean {
  return 'toolCallId' in part && part.providerExecuted === true && part.approval !== undefined;
}

function resultOf(
  { step, finishReason, usage, providerMetadata }: StepState,
  parts: readonly MessagePart[],
  messages: readonly ModelMessage[],
): StepResult<ToolSet, UserContext> {
  const calls = parts.filter(isToolUIPart);
  const facts = (type: Parameters<typeof callPart>[0], call: Call): object => ({
    ...callPart(type, { ...call, toolName: getToolName(call), input: call.input }),
    ...(call.providerExecuted === true ? { providerExecuted: true } : {}),
  });
  const result = rebuildStep({
    step,
    text: textOf(parts),
    toolCalls: calls.map((call) => facts('tool-call', call)),
    toolResults: calls.flatMap((call) =>
      call.state === 'output-available' ? [{ ...facts('tool-result', call), output: call.output }] : [],
    ),
    toolErrors: calls.flatMap((call) =>
      call.state === 'output-error' || call.state === 'output-denied'
        ? [{ ...facts('tool-error', call), error: call.errorText }]
        : [],
    ),
    finishReason: finishReason ?? 'other',
    usage: usage ?? {},
  });
  return {
    ...result,
    response: { messages },
    ...(providerMetadata === undefined ? {} : { providerMetadata }),
  } as unknown as StepResult<ToolSet, UserContext>;
}

type Call = Extract<MessagePart, { toolCallId: string }>;
