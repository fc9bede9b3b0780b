import type { ToolEffect } from '../tools/tool-types.ts';
import type { LanguageModelUsage, UIMessage } from 'ai';
import type { RunEvent, RunEventBody } from './events.ts';
import { callKey } from '../base/call-key.ts';

/** A call that is made before the model is called again, because it had not started or may be made twice. */
export type UnfinishedCall = {
  toolCallId: string;
  toolName: string;
  input: unknown;
  /** The idempotency key of its function, the same as before. */
  idempotencyKey: string;
  /** True if its function may have run. Missing for the calls of a retry, which are made only if they read. */
  hasBegun?: boolean;
};

/** A step that is not whole, and what its calls have done. */
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

type Call = Omit<UnfinishedCall, 'idempotencyKey'> & {
  begun: boolean;
  ended: boolean;
  effect?: ToolEffect | undefined;
  /** The agent that answers it. */
  agent?: string;
  /** True if something started inside it. */
  begunInside: boolean;
  /** The names of the calls inside it, by their ids or positions. */
  namesInside: Map<string | number, string>;
  /** What ended inside it, as text for the model. */
  endedInside: string[];
};

/** The error that a model reads of a call that may have taken effect and has no result. */
export const INTERRUPTED =
  'This call was interrupted before its end. It may have taken effect, so it was not made again. Find out whether it did before you repeat it.';

/** The error that a model reads of a call that it can make again, because the run does not. */
export const NOT_MADE =
  'This call was interrupted before it had a result. Make it again if you still need it.';

const unknownUsage: LanguageModelUsage = {
  inputTokens: undefined,
  inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
  outputTokens: undefined,
  outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
  totalTokens: undefined,
};

const MOST_CALLS_TOLD = 20;
const LONGEST_RESULT_TOLD = 2_000;

/**
 * Returns the last step of the run if it is not whole and a call has started in it. Otherwise nothing is lost when
 * the model is
 * called again, and the result is undefined.
 */
export function findUnfinishedStep(log: readonly RunEvent[]): UnfinishedStep | undefined {
  const starts = log.flatMap((event, index) =>
    isRunEvent(event) && event.type === 'step-start' ? [index] : [],
  );
  for (let at = starts.length - 1; at >= 0; at -= 1) {
    const step = readStep(log, starts[at]!, starts[at + 1] ?? log.length);
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
  const ids = new Set(unfinished.map(({ toolCallId }) => toolCallId));
  const mark = last.parts.findLastIndex(({ type }) => type === 'step-start');
  const parts = last.parts.map((part, index) => {
    if (index < mark || !('toolCallId' in part) || !ids.has(part.toolCallId)) return part;
    const {
      approval: _approval,
      output: _output,
      preliminary: _preliminary,
      ...call
    } = part as Record<string, unknown>;
    return { ...call, state: 'output-error', errorText: NOT_MADE } as unknown as typeof part;
  });
  return [...messages.slice(0, -1), { ...last, parts }];
}

function readStep(log: readonly RunEvent[], start: number, next: number): UnfinishedStep | undefined {
  // everything before a broken-off attempt is void
  const voided = findLastVoid(log, start, next);
  const calls = new Map<string, Call>();
  const openBlocks = new Map<string, number[]>();
  const pending = new Map<string, Withdrawal>();
  const openAgents: string[] = [];
  let end = start + 1;
  let hasEnd = false;

  for (let index = voided + 1; index < next; index += 1) {
    const event = log[index]!;
    if (isRunEvent(event)) {
      if (event.type === 'step-end') hasEnd = true;
      readBlock(openBlocks, event, index);
    }
    readPending(pending, event);
    readAgent(openAgents, event);
    const call = callOf(calls, event);
    if (call !== undefined) readCall(call, event);
    if (call !== undefined || event.type === 'step-end' || !hasEnd) {
      if (event.type !== 'run-end') end = index + 1;
    }
  }

  const own = [...calls.values()];
  if (!own.some(({ begun, ended }) => begun || ended)) return undefined;
  const left = new Set([...openBlocks.values()].flat());
  const keys = keysOf(log, start);
  const open = own.filter(({ ended }) => !ended);
  const closing: UnfinishedStep['closing'] = [
    ...pending.values(),
    ...openAgents.toReversed().map((agent) => at(agent, { type: 'agent-end', outcome: 'stopped' })),
    ...open.flatMap((call): RunEventBody[] =>
      canBeMade(call)
        ? []
        : [
            {
              type: 'tool-error',
              toolCallId: call.toolCallId,
              error: interruptedText(call),
              source: 'cueline',
            },
          ],
    ),
    ...(hasEnd ? [] : [endOf(log[start]!)]),
  ];
  return {
    start,
    end,
    events: log
      .slice(start, end)
      .filter((event, index) => event.type !== 'run-end' && !left.has(start + index)),
    closing,
    unfinished: open.filter(canBeMade).map(({ toolCallId, toolName, input }) => ({
      toolCallId,
      toolName,
      input,
      idempotencyKey: keys(toolCallId),
    })),
  };
}

/** True for a call that only reads, and for an agent that has called nothing yet. */
function canBeMade({ begun, effect, agent, begunInside }: Call): boolean {
  return !begun || effect === 'read' || (agent !== undefined && effect === undefined && !begunInside);
}

function interruptedText({ endedInside }: Call): string {
  if (endedInside.length === 0) return INTERRUPTED;
  const told = endedInside.slice(0, MOST_CALLS_TOLD).join('\n');
  const more = endedInside.length - MOST_CALLS_TOLD;
  return `${INTERRUPTED}\nThese calls inside it had ended:\n${told}${more > 0 ? `\n… and ${more} more` : ''}`;
}

/** Returns the call of the run itself that an event is about, also for events inside that call. */
function callOf(calls: Map<string, Call>, event: RunEvent): Call | undefined {
  if (event.agent !== undefined) {
    const path = event.agent;
    if (event.type === 'agent-start' && !path.includes('/')) {
      const call = calls.get(event.toolCallId);
      if (call !== undefined) call.agent = path;
      return call;
    }
    const first = path.split('/', 1)[0];
    return [...calls.values()].findLast(({ agent }) => agent === first);
  }
  if (!('toolCallId' in event) || event.toolCallId === undefined) return undefined;
  const { toolCallId } = event;
  if (event.type === 'tool-input-end' && event.invalid === undefined && event.providerExecuted !== true) {
    const { toolName, input } = event;
    calls.set(toolCallId, {
      toolCallId,
      toolName,
      input,
      begun: false,
      ended: false,
      begunInside: false,
      namesInside: new Map(),
      endedInside: [],
    });
  }
  return calls.get(toolCallId);
}

function readCall(call: Call, event: RunEvent): void {
  const isInside = event.agent !== undefined;
  switch (event.type) {
    case 'tool-start':
      if (isInside) {
        call.begunInside = true;
        call.namesInside.set(event.toolCallId, event.toolName);
      } else Object.assign(call, { begun: true, effect: event.effect });
      return;
    case 'tool-end':
      if (isInside) noteEnd(call, event.toolCallId, event.output);
      else call.ended = true;
      return;
    case 'tool-error':
      if (!isInside) call.ended = true;
      return;
    case 'sub-call-start':
      call.begunInside = true;
      call.namesInside.set(event.index, event.name);
      return;
    case 'sub-call-end':
      if (event.error === undefined) noteEnd(call, event.index, event.output);
      return;
    default:
  }
}

function noteEnd({ namesInside, endedInside }: Call, id: string | number, output: unknown): void {
  endedInside.push(`${namesInside.get(id) ?? 'a call'}: ${shortened(output)}`);
}

/** Notes which events belong to a text, reasoning or arguments without an end. */
function readBlock(open: Map<string, number[]>, event: RunEvent, index: number): void {
  switch (event.type) {
    case 'text-start':
    case 'reasoning-start':
    case 'text-delta':
    case 'reasoning-delta': {
      const key = `${event.type.split('-', 1)[0]}:${event.id}`;
      open.set(key, [...(event.type.endsWith('start') ? [] : (open.get(key) ?? [])), index]);
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

/** Notes, by id, the event that withdraws each pending approval and client tool call. */
function readPending(pending: Map<string, Withdrawal>, event: RunEvent): void {
  switch (event.type) {
    case 'approval-request': {
      const { agent, approvalId } = event;
      pending.set(approvalId, at(agent, { type: 'approval-withdraw', approvalId }));
      return;
    }
    case 'client-tool-request': {
      const { agent, clientCallId } = event;
      pending.set(clientCallId, at(agent, { type: 'client-tool-withdraw', clientCallId }));
      return;
    }
    case 'approval-response':
    case 'approval-withdraw':
      pending.delete(event.approvalId);
      return;
    case 'client-tool-response':
    case 'client-tool-withdraw':
      pending.delete(event.clientCallId);
      return;
    default:
  }
}

function readAgent(open: string[], event: RunEvent): void {
  const { agent, type } = event;
  if (agent === undefined || (type !== 'agent-start' && type !== 'agent-end')) return;
  if (open.includes(agent)) open.splice(open.indexOf(agent), 1);
  if (type === 'agent-start') open.push(agent);
}

/** Returns the keys of a step's calls, as the run that started it made them. */
function keysOf(log: readonly RunEvent[], start: number): (toolCallId: string) => string {
  const begin = log.findLastIndex(
    ({ type }, index) => index < start && (type === 'run-start' || type === 'run-resume'),
  );
  const run = log[begin];
  const runId = run !== undefined && 'runId' in run ? run.runId : '';
  const steps = log
    .slice(begin, start)
    .filter((event) => isRunEvent(event) && event.type === 'step-start').length;
  return (toolCallId) => callKey(runId, steps, toolCallId);
}

function endOf(event: RunEvent): RunEventBody {
  const step = event.type === 'step-start' ? event.step : 0;
  return { type: 'step-end', step, finishReason: 'interrupted', usage: unknownUsage };
}

function findLastVoid(log: readonly RunEvent[], start: number, next: number): number {
  for (let index = next - 1; index > start; index -= 1) {
    const event = log[index]!;
    if (isRunEvent(event) && event.type === 'retry' && event.attempt === undefined) return index;
  }
  return start;
}

function at(agent: string | undefined, body: RunEventBody): RunEventBody & { agent?: string } {
  return agent === undefined ? body : { ...body, agent };
}

function isRunEvent({ agent }: RunEvent): boolean {
  return agent === undefined;
}

function shortened(output: unknown): string {
  const text = JSON.stringify(output) ?? 'null';
  return text.length <= LONGEST_RESULT_TOLD ? text : `${text.slice(0, LONGEST_RESULT_TOLD)}…`;
}
