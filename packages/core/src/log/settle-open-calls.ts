import { shorten } from '../base/quote-value.ts';
import type { ToolEffect } from '../tools/tool-types.ts';
import type { RunEvent } from './events.ts';

/**
 * A tool call without an end, and how it is settled when its run continues:
 *
 * - `start`: it had not started, so making it now makes it once.
 * - `repeat`: it had started, and may be made twice, because its tool only reads or is idempotent, or because it is
 *   the call of an agent that has called nothing. With `asAgent` this is the only reason: the log cannot tell the agent
 *   from a tool of its name whose function has called it.
 * - `fail`: it may have taken effect, or it has started five times. It is not made again, and `error` says so to the
 *   model.
 *
 * `inputText` is what the model wrote, from which the tool's schema has made `input`. Missing if it did not arrive in
 * pieces.
 */
export type CallSettlement = {
  toolCallId: string;
  toolName: string;
  input: unknown;
  inputText?: string | undefined;
} & ({ how: 'start' | 'repeat'; asAgent?: true } | { how: 'fail'; error: string });

/**
 * Returns how each open call is settled in a log that may end anywhere: those of the last step that has called
 * tools, in the order in which the model made them. A call with a result or an error in the log is not open,
 * and keeps it. Calls that the provider runs and calls with invalid arguments are not open either. `agent` is
 * the path of the agent whose calls are asked for, as in `event.agent`; by default, they are the run's own.
 */
export function settleOpenCalls(log: readonly RunEvent[], agent?: string): CallSettlement[] {
  let next = log.length;
  for (let start = next - 1; start >= 0; start -= 1) {
    const event = log[start]!;
    if (event.agent !== agent) continue;
    // the agent before it had the same path, in an earlier attempt
    if (event.type === 'agent-start') return [];
    if (event.type !== 'step-start') continue;
    const step = createStepCalls(agent);
    for (let index = lastVoid(log, start, next, agent) + 1; index < next; index += 1) step.read(log[index]!);
    if (step.calls().length > 0) return step.open().map(settle);
    next = start;
  }
  return [];
}

/** What a log says about one call of a step. */
export type StepCall = {
  toolCallId: string;
  toolName: string;
  input: unknown;
  inputText: string | undefined;
  /** How often it has started: more than once if its process has ended meanwhile. */
  starts: number;
  ended: boolean;
  effect?: ToolEffect | undefined;
  idempotent?: true | undefined;
  /** The name below its caller of the agent that started in it. */
  agent?: string;
  /**
   * The name that this agent was defined with: the tool's own, or another if the tool's function has called the
   * agent.
   */
  agentName?: string;
  /** True if something started inside it. */
  startedInside: boolean;
  /** The names of the calls inside it, by their ids or positions. */
  namesInside: Map<string | number, string>;
  /** What ended inside it, as text for the model. */
  endedInside: string[];
};

/** The calls of one step. */
export type StepCalls = {
  /** Reads the next event of the step. Returns the call that it is about or that it happened inside of. */
  read(event: RunEvent): StepCall | undefined;
  calls(): readonly StepCall[];
  /** Those without an end. */
  open(): readonly StepCall[];
};

/** Returns a reader of the calls that the run itself, or the agent at this path, has made in one step. */
export function createStepCalls(agent?: string): StepCalls {
  const calls = new Map<string, StepCall>();
  /** What the model has written of the arguments, by the call's id. */
  const texts = new Map<string, string>();
  const inside = agent === undefined ? '' : `${agent}/`;

  /** Returns the path below this one of the event's agent; empty for an event of its own. */
  function pathOf(event: RunEvent): string | undefined {
    if (event.agent === agent) return '';
    return event.agent?.startsWith(inside) === true ? event.agent.slice(inside.length) : undefined;
  }

  function callOf(event: RunEvent, path: string): StepCall | undefined {
    if (path !== '') {
      const [first] = path.split('/', 1);
      if (event.type !== 'agent-start' || path !== first) {
        return [...calls.values()].findLast((call) => call.agent === first);
      }
      const call = calls.get(event.toolCallId);
      if (call !== undefined) Object.assign(call, { agent: first, agentName: event.name });
      return call;
    }
    if (!('toolCallId' in event) || event.type === 'agent-start') return undefined;
    const { toolCallId } = event;
    if (event.type === 'tool-input-start') texts.delete(toolCallId);
    if (event.type === 'tool-input-delta') texts.set(toolCallId, (texts.get(toolCallId) ?? '') + event.delta);
    if (event.type === 'tool-input-end' && event.invalid === undefined && event.providerExecuted !== true) {
      calls.set(toolCallId, newCall(event, texts.get(toolCallId)));
    }
    return calls.get(toolCallId);
  }

  return {
    read(event) {
      const path = pathOf(event);
      const call = path === undefined ? undefined : callOf(event, path);
      if (call !== undefined) readCall(call, event, path !== '');
      return call;
    },
    calls: () => [...calls.values()],
    open: () => [...calls.values()].filter(({ ended }) => !ended),
  };
}

/** Returns how a call without an end is settled. */
export function settle(call: StepCall): CallSettlement {
  const { toolCallId, toolName, input, inputText, starts } = call;
  const fields = { toolCallId, toolName, input, inputText };
  if (starts === 0) return { ...fields, how: 'start' };
  if (starts >= MAX_STARTS) return { ...fields, how: 'fail', error: INTERRUPTED_OFTEN };
  if (call.effect === 'read' || call.idempotent === true) return { ...fields, how: 'repeat' };
  return isOfAgent(call)
    ? { ...fields, how: 'repeat', asAgent: true }
    : { ...fields, how: 'fail', error: interruptedText(call) };
}

/**
 * Returns the index of the last failed attempt in a step, before which everything is void; the step's start if
 * there was none.
 */
export function lastVoid(log: readonly RunEvent[], start: number, next: number, agent?: string): number {
  for (let index = next - 1; index > start; index -= 1) {
    const event = log[index]!;
    if (event.agent === agent && event.type === 'retry' && event.attempt === undefined) return index;
  }
  return start;
}

function isOfAgent({ toolName, effect, agentName, startedInside }: StepCall): boolean {
  return agentName === toolName && effect === undefined && !startedInside;
}

/** The error that a model reads of a call that may have taken effect and has no result. */
export const INTERRUPTED =
  'This call was interrupted before its end. It may have taken effect, so it was not made again. Find out whether it did before you repeat it.';

/** How often a call may start. One that ends the process which runs it, every time, must not do so for ever. */
const MAX_STARTS = 5;
const INTERRUPTED_OFTEN = `This call has started ${MAX_STARTS} times and was interrupted before its end each time, so it was not made again: it may be what ends the process. It may have taken effect. Find out whether it did, and do not repeat it unchanged.`;

const MAX_RESULTS = 20;
const MAX_RESULT_LENGTH = 2_000;

function interruptedText({ endedInside }: StepCall): string {
  if (endedInside.length === 0) return INTERRUPTED;
  const results = endedInside.slice(0, MAX_RESULTS).join('\n');
  const more = endedInside.length - MAX_RESULTS;
  return `${INTERRUPTED}\nThese calls inside it had ended:\n${results}${more > 0 ? `\n… and ${more} more` : ''}`;
}

function newCall(
  { toolCallId, toolName, input }: Extract<RunEvent, { type: 'tool-input-end' }>,
  inputText: string | undefined,
): StepCall {
  return {
    toolCallId,
    toolName,
    input,
    inputText,
    starts: 0,
    ended: false,
    startedInside: false,
    namesInside: new Map(),
    endedInside: [],
  };
}

function readCall(call: StepCall, event: RunEvent, isInside: boolean): void {
  switch (event.type) {
    case 'tool-start':
      if (isInside) {
        call.startedInside = true;
        call.namesInside.set(event.toolCallId, event.toolName);
      } else {
        const { effect, idempotent } = event;
        Object.assign(call, { starts: call.starts + 1, effect, idempotent });
      }
      return;
    case 'tool-end':
      if (isInside) noteEnd(call, event.toolCallId, event.output);
      else call.ended = true;
      return;
    case 'tool-error':
      if (!isInside) call.ended = true;
      return;
    case 'sub-call-start':
      call.startedInside = true;
      call.namesInside.set(event.index, event.name);
      return;
    case 'sub-call-end':
      if (event.error === undefined) noteEnd(call, event.index, event.output);
      return;
    default:
  }
}

function noteEnd({ namesInside, endedInside }: StepCall, id: string | number, output: unknown): void {
  const text = JSON.stringify(output) ?? 'null';
  endedInside.push(`${namesInside.get(id) ?? 'a call'}: ${shorten(text, MAX_RESULT_LENGTH)}`);
}
