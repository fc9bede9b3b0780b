import type { LanguageModelUsage, UIMessage } from 'ai';
import { callKey } from '../base/call-key.ts';
import { isInAgent, openAgents } from './agent-log.ts';
import type { RunEvent, RunEventBody } from './events.ts';
import { isOwnStep } from './rebase-events.ts';
import {
  createStepCalls,
  INTERRUPTED,
  lastVoid,
  settle,
  type StepCall,
  type StepCalls,
} from './settle-open-calls.ts';

/**
 * A call that is made before the model is called again, because it had not started or may be made twice, or because the
 * agent that answers it continues.
 */
export type UnfinishedCall = {
  toolCallId: string;
  toolName: string;
  input: unknown;
  /** What the model wrote, from which the tool's schema has made `input`, if the log has it. */
  inputText?: string | undefined;
  /** The idempotency key of its function, the same as before. */
  idempotencyKey: string;
  /**
   * The events of the agent that answers it and of the agents below that one, in order, and the `run-resume` of each
   * retry between them. The agent continues after them.
   */
  agentEvents?: readonly RunEvent[];
};

/** A step that is not complete, and what its calls have done. */
export type UnfinishedStep = {
  /** The index of its `step-start`. */
  start: number;
  /** The index after its last event. */
  end: number;
  /** The events that are kept. */
  events: readonly RunEvent[];
  /** The events that close it: calls that are not made again fail, and what they wait for is withdrawn. */
  closing: readonly (RunEventBody & { agent?: string })[];
  unfinished: readonly UnfinishedCall[];
};

type Withdrawal = RunEventBody & { agent?: string };

/** The error that a model reads of a call that it can make again, because the run does not. */
export const NOT_MADE =
  'This call was interrupted before it had a result. Make it again if you still need it.';

/** The usage of a call that did not report any. */
export const unknownUsage: LanguageModelUsage = {
  inputTokens: undefined,
  inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
  outputTokens: undefined,
  outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
  totalTokens: undefined,
};

/**
 * Returns the last step of the run if it is not complete and a call has started in it. Otherwise nothing is lost
 * when the model is called again, and the result is undefined. With `continuesAgents`, the agents that answer its calls
 * continue; otherwise these calls fail.
 */
export function findUnfinishedStep(
  log: readonly RunEvent[],
  continuesAgents = false,
): UnfinishedStep | undefined {
  const starts = log.flatMap((event, index) =>
    isRunEvent(event) && event.type === 'step-start' ? [index] : [],
  );
  for (let at = starts.length - 1; at >= 0; at -= 1) {
    const step = readStep(log, starts[at]!, starts[at + 1] ?? log.length, continuesAgents);
    if (step !== undefined) return step;
  }
  return undefined;
}

/** Returns `messages` with an error for each call of their last step that can be made again. */
export function describeUnfinished(
  messages: readonly UIMessage[],
  unfinished: readonly UnfinishedCall[],
): readonly UIMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || unfinished.length === 0) return messages;
  const byId = new Map(unfinished.map((call) => [call.toolCallId, call]));
  const mark = last.parts.findLastIndex(({ type }) => type === 'step-start');
  const parts = last.parts.map((part, index) => {
    if (index < mark || !('toolCallId' in part)) return part;
    const open = byId.get(part.toolCallId);
    if (open === undefined) return part;
    const {
      approval: _approval,
      output: _output,
      preliminary: _preliminary,
      ...call
    } = part as Record<string, unknown>;
    const errorText = open.agentEvents === undefined ? NOT_MADE : INTERRUPTED;
    return { ...call, state: 'output-error', errorText } as unknown as typeof part;
  });
  return [...messages.slice(0, -1), { ...last, parts }];
}

function readStep(
  log: readonly RunEvent[],
  start: number,
  next: number,
  continuesAgents: boolean,
): UnfinishedStep | undefined {
  // everything before a failed attempt is void
  const voided = lastVoid(log, start, next);
  const calls = createStepCalls();
  const openBlocks = new Map<string, number[]>();
  const pending = new Map<string, Withdrawal>();
  let end = start + 1;
  let hasEnd = false;

  for (let index = voided + 1; index < next; index += 1) {
    const event = log[index]!;
    if (isRunEvent(event)) {
      if (event.type === 'step-end') hasEnd = true;
      readBlock(openBlocks, event, index);
    }
    const settles = readPending(pending, event);
    const call = calls.read(event);
    if (call !== undefined || settles || event.type === 'step-end' || !hasEnd) {
      if (event.type !== 'run-end') end = index + 1;
    }
  }

  if (!hasBegun(calls)) return undefined;
  const unclosed = new Set([...openBlocks.values()].flat());
  const keys = keysOf(log, start);
  const own = log
    .slice(start, end)
    .filter((event, index) => event.type !== 'run-end' && !unclosed.has(start + index));
  const continuing = continuesAgents ? calls.open().flatMap((call) => answeringAgent(own, call) ?? []) : [];
  const continues = ({ agent }: { agent?: string | undefined }): boolean =>
    continuing.some((path) => isInAgent({ agent }, path));
  const t = log[end - 1]!.t;
  const events = [
    ...continuing.reduce(finishAnswers, own),
    ...[...pending.values()].filter(continues).map((body): RunEvent => ({ ...body, seq: 0, t })),
  ];
  const settled = calls.open().map((call) => {
    const path = call.agent;
    const agentEvents =
      path !== undefined && continuing.includes(path) ? agentEventsOf(events, path) : undefined;
    return { ...settle(call), agentEvents };
  });
  const closing: UnfinishedStep['closing'] = [
    ...[...pending.values()].filter((body) => !continues(body)),
    ...openAgents(log.slice(voided + 1, next))
      .filter((agent) => !continues({ agent }))
      .toReversed()
      .map((agent) => at(agent, { type: 'agent-end', outcome: 'stopped' })),
    ...settled.flatMap((call): RunEventBody[] => {
      if (call.how !== 'fail' || call.agentEvents !== undefined) return [];
      const { toolCallId, error } = call;
      return [{ type: 'tool-error', toolCallId, error, source: 'cueline' }];
    }),
    ...(hasEnd ? [] : [blockEndOf(log[start]!)]),
  ];
  return {
    start,
    end,
    events,
    closing,
    unfinished: settled.flatMap(({ how, toolCallId, toolName, input, inputText, agentEvents }) => {
      if (how === 'fail' && agentEvents === undefined) return [];
      const call = { toolCallId, toolName, input, inputText, idempotencyKey: keys(toolCallId) };
      return [agentEvents === undefined ? call : { ...call, agentEvents }];
    }),
  };
}

/** True if a call of a step has started, so that the step cannot be repeated. */
function hasBegun(calls: StepCalls): boolean {
  return calls.calls().some(({ starts, ended }) => starts > 0 || ended);
}

/** Returns the path of the agent that answers a call. */
function answeringAgent(events: readonly RunEvent[], { agent, toolName }: StepCall): string | undefined {
  const start = events.findLast((event) => event.type === 'agent-start' && event.agent === agent);
  // a tool's own function may have called an agent, which has another name
  return start?.type === 'agent-start' && start.name === toolName ? agent : undefined;
}

/** Returns the events of the agent at `path` and of those below it, and the retries between them. */
function agentEventsOf(events: readonly RunEvent[], path: string): readonly RunEvent[] {
  const start = events.findLastIndex((event) => event.type === 'agent-start' && event.agent === path);
  return events.slice(start).filter((event) => isInAgent(event, path) || event.type === 'run-resume');
}

/**
 * Ends the answers in which the agent at `path` and those below it were at work, so that they continue with the open
 * calls. An answer in which no call has started stays open, because the model is asked for it again.
 */
function finishAnswers(events: readonly RunEvent[], path: string): readonly RunEvent[] {
  return openAgents(events)
    .filter((agent) => isInAgent({ agent }, path))
    .reduce(finishAnswer, events);
}

function finishAnswer(events: readonly RunEvent[], agent: string): readonly RunEvent[] {
  const start = events.findLastIndex((event) => event.type === 'step-start' && event.agent === agent);
  const from = start < 0 ? events.length : lastVoid(events, start, events.length, agent) + 1;
  const calls = createStepCalls(agent);
  const openBlocks = new Map<string, number[]>();
  for (const [index, event] of events.entries()) {
    if (index < from) continue;
    calls.read(event);
    if (event.agent !== agent) continue;
    if (event.type === 'step-end' || event.type === 'model-call-end') return events;
    readBlock(openBlocks, event, index);
  }
  if (!hasBegun(calls)) return events;
  const unclosed = new Set([...openBlocks.values()].flat());
  const { t } = events.at(-1)!;
  return [
    ...events.filter((_event, index) => !unclosed.has(index)),
    { seq: 0, t, type: 'model-call-end', finishReason: 'interrupted', usage: unknownUsage, agent },
  ];
}

/** Notes which events belong to a text, reasoning or arguments without an end. */
function readBlock(open: Map<string, number[]>, event: RunEvent, index: number): void {
  switch (event.type) {
    case 'text-start':
    case 'reasoning-start':
    case 'text-delta':
    case 'reasoning-delta': {
      const key = `${event.type.split('-', 1)[0]}:${event.id}`;
      if (event.type.endsWith('start')) open.set(key, []);
      open.get(key)?.push(index);
      return;
    }
    case 'text-end':
    case 'reasoning-end':
      open.delete(`${event.type.split('-', 1)[0]}:${event.id}`);
      return;
    case 'tool-input-start':
      open.set(`call:${event.toolCallId}`, [index]);
      return;
    case 'tool-input-delta':
      open.get(`call:${event.toolCallId}`)?.push(index);
      return;
    case 'tool-input-end':
      open.delete(`call:${event.toolCallId}`);
      return;
    default:
  }
}

/**
 * Notes, by id, the event that withdraws each pending approval and client tool call. Returns true for an event after
 * which one of them is not pending any more.
 */
function readPending(pending: Map<string, Withdrawal>, event: RunEvent): boolean {
  switch (event.type) {
    case 'approval-request': {
      const { agent, approvalId } = event;
      pending.set(approvalId, at(agent, { type: 'approval-withdraw', approvalId }));
      return false;
    }
    case 'client-tool-request': {
      const { agent, clientCallId } = event;
      pending.set(clientCallId, at(agent, { type: 'client-tool-withdraw', clientCallId }));
      return false;
    }
    case 'approval-response':
    case 'approval-withdraw':
      return pending.delete(event.approvalId);
    case 'client-tool-response':
    case 'client-tool-withdraw':
      return pending.delete(event.clientCallId);
    default:
      return false;
  }
}

/** Returns the keys of a step's calls, as the run that started it made them. */
function keysOf(log: readonly RunEvent[], start: number): (toolCallId: string) => string {
  const begin = log.findLastIndex(
    ({ type }, index) => index < start && (type === 'run-start' || type === 'run-resume'),
  );
  const run = log[begin];
  const runId = run !== undefined && 'runId' in run ? run.runId : '';
  // the run counted its steps from 0; one whose process has died is in the log twice
  const [first, last] = [log.slice(Math.max(0, begin)).find(isOwnStep), log[start]!];
  const step = first !== undefined && isOwnStep(last) ? last.step - first.step : 0;
  return (toolCallId) => callKey(runId, step, toolCallId);
}

function blockEndOf(event: RunEvent): RunEventBody {
  const step = event.type === 'step-start' ? event.step : 0;
  return { type: 'step-end', step, finishReason: 'interrupted', usage: unknownUsage };
}

function at(agent: string | undefined, body: RunEventBody): RunEventBody & { agent?: string } {
  return agent === undefined ? body : { ...body, agent };
}

function isRunEvent({ agent }: RunEvent): boolean {
  return agent === undefined;
}
