import type { ModelMessage, ToolCallPart, ToolResultPart } from 'ai';
import { CuelineError } from '../../base/errors.ts';
import { INTERRUPTED } from '../../log/settle-open-calls.ts';
import { toModelOutput } from '../../messages/tool-output.ts';

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;
type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

/** The sources of missing halves of calls. */
export type RepairSettings = {
  /** Results of calls, by id. */
  answers?: Readonly<Record<string, unknown>> | undefined;
  /** The whole conversation of the messages, with everything that was cut off. */
  whole?: readonly ModelMessage[] | undefined;
};

/**
 * Returns messages in which each call is followed by its result, as providers require. The result of a call without
 * one comes from `answers` or `whole`, otherwise it says that the call was interrupted. A result without its call is
 * completed from `whole`, otherwise left out; so is a call that waits for an approval of the provider. Takes linear
 * time.
 */
export function repairMessages(
  messages: readonly ModelMessage[],
  { answers = {}, whole = [] }: RepairSettings = {},
): ModelMessage[] {
  const known = knownTurns(whole);
  const repaired: ModelMessage[] = [];
  for (let at = 0; at < messages.length;) {
    const message = messages[at]!;
    at += 1;
    if (message.role === 'user') repaired.push(message);
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    const caller = message.role === 'assistant' ? message : known.callerOf(message);
    // results without a call
    if (caller === undefined) continue;
    const ids = new Set(toolCallsOf(caller).map(({ toolCallId }) => toolCallId));
    const toolMessages: ToolMessage[] = message.role === 'tool' ? [message] : [];
    for (; answersOneOf(messages[at], ids); at += 1) toolMessages.push(messages[at] as ToolMessage);
    for (const one of withoutOpenApprovals(caller, toolMessages)) repaired.push(one);
    for (const one of resultsOf(caller, toolMessages)) repaired.push(one);
  }
  return repaired;

  /** Returns the message after an assistant's message: the given one if nothing is missing. */
  function resultsOf(caller: AssistantMessage, toolMessages: readonly ToolMessage[]): ToolMessage[] {
    const calls = toolCallsOf(caller);
    const open = new Map(calls.map((call) => [call.toolCallId, call]));
    let changed = false;
    const content = toolMessages.flatMap((message) =>
      message.content.filter((part) => {
        const fits = part.type !== 'tool-result' || open.delete(part.toolCallId);
        changed ||= !fits;
        return fits;
      }),
    );
    if (open.size === 0 && !changed) return [...toolMessages];
    const added = [...open.values()].map((call) => known.resultOf(caller, call) ?? resultFor(call));
    const whole = [...content, ...added];
    return whole.length === 0 ? [] : [{ role: 'tool', content: whole }];
  }

  function resultFor({ toolCallId, toolName }: ToolCallPart): ToolResultPart {
    const output = Object.hasOwn(answers, toolCallId)
      ? toModelOutput(answers[toolCallId])
      : ({ type: 'error-text', value: INTERRUPTED } as const);
    return { type: 'tool-result', toolCallId, toolName, output };
  }
}

/** Returns the message without calls that wait for an approval of the provider which nothing can answer any more. */
function withoutOpenApprovals(
  message: AssistantMessage,
  toolMessages: readonly ToolMessage[],
): AssistantMessage[] {
  const { content } = message;
  if (typeof content === 'string') return [message];
  const answered = new Set(
    toolMessages.flatMap(({ content: parts }) =>
      parts.map((part) => (part.type === 'tool-approval-response' ? part.approvalId : undefined)),
    ),
  );
  const open = new Set(
    content.flatMap((part) =>
      part.type === 'tool-approval-request' && !answered.has(part.approvalId) ? [part.toolCallId] : [],
    ),
  );
  if (open.size === 0) return [message];
  const kept = content.filter(
    (part) =>
      !((part.type === 'tool-approval-request' || part.type === 'tool-call') && open.has(part.toolCallId)),
  );
  return kept.length === 0 ? [] : [{ ...message, content: kept }];
}

function answersOneOf(message: ModelMessage | undefined, ids: ReadonlySet<string>): boolean {
  if (message?.role !== 'tool') return false;
  return message.content.some((part) => part.type !== 'tool-result' || ids.has(part.toolCallId));
}

/** @throws CuelineError `invalid_options` for an answer to an unknown call */
export function checkAnswers(
  messages: readonly ModelMessage[],
  answers: Readonly<Record<string, unknown>>,
): void {
  const ids = new Set(
    messages.flatMap((message) =>
      message.role === 'assistant' ? toolCallsOf(message).map(({ toolCallId }) => toolCallId) : [],
    ),
  );
  const unknown = Object.keys(answers).find((id) => !ids.has(id));
  if (unknown === undefined) return;
  throw new CuelineError(
    'invalid_options',
    `answers names the call "${unknown}", which is in no message of initialMessages. Pass the messages of the session that was suspended, and its suspended[0].toolCallId.`,
  );
}

/** Returns the calls whose results are in a message of their own. */
export function toolCallsOf({ content }: AssistantMessage): ToolCallPart[] {
  if (typeof content === 'string') return [];
  return content.filter(
    (part) => part.type === 'tool-call' && part.providerExecuted !== true,
  ) as ToolCallPart[];
}

/** Finds the neighbors of a message that was cut off from them, by the message itself or by a call's id. */
function knownTurns(whole: readonly ModelMessage[]): {
  callerOf(results: ToolMessage): AssistantMessage | undefined;
  resultOf(caller: AssistantMessage, call: ToolCallPart): ToolResultPart | undefined;
} {
  const callers = new Map<ModelMessage | string, AssistantMessage>();
  const results = new Map<ModelMessage | string, Map<string, ToolResultPart>>();
  let caller: AssistantMessage | undefined;
  for (const message of whole) {
    if (message.role === 'assistant') {
      caller = message;
      for (const { toolCallId } of toolCallsOf(message)) callers.set(toolCallId, message);
    }
    if (message.role === 'user') caller = undefined;
    if (message.role !== 'tool' || caller === undefined) continue;
    callers.set(message, caller);
    const byId = results.get(caller) ?? new Map<string, ToolResultPart>();
    for (const part of message.content) {
      if (part.type !== 'tool-result') continue;
      byId.set(part.toolCallId, part);
      results.set(part.toolCallId, byId);
    }
    results.set(caller, byId);
  }
  return {
    callerOf(message) {
      const first = message.content.find((part) => part.type === 'tool-result');
      return callers.get(message) ?? callers.get(first?.toolCallId ?? '');
    },
    resultOf: (caller, { toolCallId }) => (results.get(caller) ?? results.get(toolCallId))?.get(toolCallId),
  };
}
