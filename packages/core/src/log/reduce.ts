import type { UIMessage } from 'ai';
import { applyToMessage, type MessageProgress } from './message.ts';
import type { RunEvent } from './events.ts';
import { createPartialJson, type PartialJson } from './partial-json.ts';
import { addUsage, applyChange } from './step.ts';
import type { RunFacts, RunState, RunStatus, StepState, ToolCallState } from './state.ts';

/** The state of a run that has not started. */
export const initialState: RunState = {
  runId: '',
  seq: -1,
  model: '',
  simulated: false,
  text: '',
  messages: [],
  toolCalls: [],
  variables: {},
  steps: [],
  usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
  warnings: [],
  elapsed: 0,
  status: 'idle',
};

/**
 * Turns events into states. Each event costs the same however long the run already is: what it touches is copied once
 * between two snapshots and then written in place. A snapshot is immutable and shares whatever did not change.
 */
export type Reducer = {
  apply(event: RunEvent): void;
  /** The state after all events so far; the same object until the next event. */
  snapshot(): RunState;
};

/** What a reducer must remember besides the state itself: where the open parts of the last message are. */
const progressOf = new WeakMap<RunState, MessageProgress>();

/** A reducer that goes on from `state`, which must be one that {@link reduce} or a reducer made, or the initial one. */
export function createReducer(state: RunState = initialState): Reducer {
  let latest: RunState | undefined = state;
  let [facts, status] = split(state);
  let progress = copyProgress(progressOf.get(state));
  /** Objects made since the last snapshot, which may be written to. */
  let owned = new Set<object>();

  function own<T extends object>(value: T): T {
    if (owned.has(value)) return value;
    const copy = (Array.isArray(value) ? value.slice() : { ...value }) as T;
    owned.add(copy);
    return copy;
  }
  function currentStep(): StepState | undefined {
    const index = facts.steps.length - 1;
    const step = facts.steps[index];
    if (step === undefined) return undefined;
    const steps = (facts.steps = own(facts.steps));
    return (steps[index] = own(step));
  }
  function toolCall(toolCallId: string): ToolCallState | undefined {
    // from the end: the call that is being written is among the last
    const index = facts.toolCalls.findLastIndex((call) => call.toolCallId === toolCallId);
    const call = facts.toolCalls[index];
    if (call === undefined) return undefined;
    const calls = (facts.toolCalls = own(facts.toolCalls));
    return (calls[index] = own(call));
  }
  /** The call whose arguments are arriving. Some models use an id again in a later answer; that is another call. */
  function streamingCall(toolCallId: string): ToolCallState | undefined {
    const call = toolCall(toolCallId);
    return call?.state === 'input-streaming' ? call : undefined;
  }
  function addToolCall(toolCallId: string, toolName: string, t: number): ToolCallState {
    const call: ToolCallState = {
      toolCallId,
      toolName,
      step: facts.steps.length - 1,
      state: 'input-streaming',
      inputText: '',
      calledAt: t,
    };
    owned.add(call);
    (facts.toolCalls = own(facts.toolCalls)).push(call);
    return call;
  }
  function interruptCalls(t: number): void {
    for (const [index, { state }] of facts.toolCalls.entries()) {
      if (state === 'output-available' || state === 'output-error') continue;
      const calls = (facts.toolCalls = own(facts.toolCalls));
      const call = (calls[index] = own(calls[index]!));
      call.state = 'interrupted';
      call.finishedAt = t;
    }
  }
  function lastMessage(): UIMessage | undefined {
    const index = facts.messages.length - 1;
    const message = facts.messages[index];
    if (message === undefined) return undefined;
    const messages = (facts.messages = own(facts.messages));
    const mine = (messages[index] = own(message));
    mine.parts = own(mine.parts);
    return mine;
  }
  function firstOutput(t: number): void {
    if (facts.steps.at(-1)?.firstOutputAt !== undefined) return;
    const step = currentStep();
    if (step !== undefined) step.firstOutputAt = t;
  }
  function running(phase: Extract<RunStatus, { status: 'running' }>['phase']): void {
    if (status.status === 'running' && status.phase !== phase) status = { status: 'running', phase };
  }

  function apply(event: RunEvent): void {
    latest = undefined;
    facts.seq = event.seq;
    facts.elapsed = event.t;
    switch (event.type) {
      case 'run-start': {
        facts = {
          ...split(initialState)[0],
          seq: event.seq,
          runId: event.runId,
          model: event.model,
          simulated: event.simulated ?? false,
          messages: event.messages.slice(),
          ...(event.name === undefined ? {} : { name: event.name }),
        };
        owned.add(facts.messages);
        status = { status: 'running', phase: 'requesting' };
        progress = copyProgress(undefined);
        progress.messageId = event.messageId;
        return;
      }
      case 'variable-set':
        facts.variables = { ...facts.variables, [event.name]: { kind: event.kind, value: event.value } };
        return;
      case 'step-start': {
        const request = applyChange(facts.steps.at(-1)?.request, event.request);
        const step: StepState = { step: event.step, request, startedAt: event.t };
        owned.add(step);
        (facts.steps = own(facts.steps)).push(step);
        progress.stepHasText = false;
        running('requesting');
        break;
      }
      case 'text-start':
        running('text');
        break;
      case 'text-delta':
        firstOutput(event.t);
        running('text');
        facts.text = progress.stepHasText ? facts.text + event.text : event.text;
        progress.stepHasText = true;
        break;
      case 'reasoning-delta':
        firstOutput(event.t);
        running('reasoning');
        break;
      case 'tool-input-start':
        firstOutput(event.t);
        running('tool-input');
        addToolCall(event.toolCallId, event.toolName, event.t);
        progress.inputs.set(event.toolCallId, createPartialJson());
        break;
      case 'tool-input-delta': {
        const call = toolCall(event.toolCallId);
        if (call === undefined) break;
        call.inputText += event.delta;
        inputOf(progress, call, event.delta);
        break;
      }
      case 'tool-input-end': {
        firstOutput(event.t);
        const call =
          streamingCall(event.toolCallId) ?? addToolCall(event.toolCallId, event.toolName, event.t);
        call.input = event.input;
        call.state = event.invalid === undefined ? 'input-available' : 'output-error';
        if (event.invalid !== undefined) call.errorText = event.invalid;
        if (call.inputText === '') call.inputText = textOf(event.input);
        progress.inputs.delete(event.toolCallId);
        break;
      }
      case 'tool-start': {
        running('tools');
        const call = toolCall(event.toolCallId);
        if (call === undefined) break;
        call.state = 'running';
        call.startedAt = event.t;
        break;
      }
      case 'tool-preliminary':
      case 'tool-end': {
        const call = toolCall(event.toolCallId);
        if (call === undefined) break;
        call.output = event.output;
        if (event.type === 'tool-preliminary') break;
        call.state = 'output-available';
        finishCall(call, event);
        break;
      }
      case 'tool-error': {
        const call = toolCall(event.toolCallId);
        if (call === undefined) break;
        call.state = 'output-error';
        call.errorText = event.error;
        finishCall(call, event);
        break;
      }
      case 'retry':
        progress.stepHasText = false;
        return;
      case 'warning':
        (facts.warnings = own(facts.warnings)).push(event.message);
        return;
      case 'step-end': {
        const step = currentStep();
        if (step === undefined) break;
        step.finishedAt = event.t;
        step.finishReason = event.finishReason;
        step.usage = event.usage;
        facts.usage = addUsage(facts.usage, event.usage);
        break;
      }
      case 'run-end': {
        // a run that waits will go on with the calls that it waits for
        if (event.outcome !== 'waiting') interruptCalls(event.t);
        status = endStatus(event);
        break;
      }
      default:
    }
    applyToMessage({ message: lastMessage, addMessage, own, progress }, event);
  }

  function addMessage(message: UIMessage): void {
    owned.add(message).add(message.parts);
    (facts.messages = own(facts.messages)).push(message);
  }

  return {
    apply,
    snapshot() {
      if (latest !== undefined) return latest;
      for (const part of progress.stale)
        part.input = progress.inputs.get(part.toolCallId)?.value() ?? part.input;
      progress.stale.clear();
      latest = { ...facts, ...status };
      progressOf.set(latest, copyProgress(progress));
      owned = new Set();
      return latest;
    },
  };
}

/** The state after one more event. Pure: `state` is left as it is, and unchanged parts are shared with the result. */
export function reduce(state: RunState, event: RunEvent): RunState {
  const reducer = createReducer(state);
  reducer.apply(event);
  return reducer.snapshot();
}

/** The state after a whole log. */
export function reduceAll(events: Iterable<RunEvent>): RunState {
  const reducer = createReducer();
  for (const event of events) reducer.apply(event);
  return reducer.snapshot();
}

/** A state as its two halves; the facts are a copy that the reducer may write to. */
function split(state: RunState): [RunFacts, RunStatus] {
  switch (state.status) {
    case 'running': {
      const { status, phase, ...facts } = state;
      return [facts, { status, phase }];
    }
    case 'done': {
      const { status, finishReason, ...facts } = state;
      return [facts, { status, finishReason }];
    }
    case 'error': {
      const { status, error, ...facts } = state;
      return [facts, { status, error }];
    }
    default: {
      const { status, ...facts } = state;
      return [facts, { status }];
    }
  }
}

function endStatus(event: Extract<RunEvent, { type: 'run-end' }>): RunStatus {
  switch (event.outcome) {
    case 'done':
      return { status: 'done', finishReason: event.finishReason ?? 'other' };
    case 'error':
      return {
        status: 'error',
        error: event.error ?? { code: 'provider_error', message: 'The run failed without saying why.' },
      };
    default:
      return { status: event.outcome };
  }
}

function copyProgress(progress: MessageProgress | undefined): MessageProgress {
  return {
    messageId: progress?.messageId ?? '',
    open: new Map(progress?.open),
    // readers of streamed arguments are shared between a state and the next; one that is behind is made anew
    inputs: new Map(progress?.inputs),
    stale: new Set(),
    stepHasText: progress?.stepHasText ?? false,
    stepStarted: progress?.stepStarted ?? false,
  };
}

/** The reader of a call's arguments after one more piece; made anew where another branch of states has fed it. */
function inputOf(progress: MessageProgress, call: ToolCallState, delta: string): PartialJson {
  const known = progress.inputs.get(call.toolCallId);
  if (known !== undefined && known.text.length + delta.length === call.inputText.length) {
    known.feed(delta);
    return known;
  }
  const fresh = createPartialJson();
  fresh.feed(call.inputText);
  progress.inputs.set(call.toolCallId, fresh);
  return fresh;
}

/** The result may be read later than the tool ended; how long it ran was measured where it ran. */
function finishCall(call: ToolCallState, { t, ms }: { t: number; ms?: number }): void {
  call.finishedAt = t;
  if (ms === undefined) return;
  call.ms = ms;
  if (call.startedAt !== undefined) call.finishedAt = call.startedAt + ms;
}

function textOf(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
}
