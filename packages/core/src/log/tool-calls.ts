import type { StateDraft } from './state-draft.ts';
import type { RunEvent } from './events.ts';
import { createPartialJson, feedReader } from '../json/partial-json.ts';
import { truncateIndex, lastIndexOfId } from './id-index.ts';
import { markStale, refreshInputs } from './refresh-inputs.ts';
import type { ToolCallState } from './state.ts';

/** Applies one event to the tool calls. */
export function applyToCalls(draft: StateDraft, event: RunEvent): void {
  switch (event.type) {
    case 'tool-input-start':
      addCall(draft, event);
      // a repeated id has another reader from here on
      refreshInputs(draft.progress, event.toolCallId);
      draft.progress.inputs.set(event.toolCallId, createPartialJson());
      return;
    case 'tool-input-end': {
      // some models repeat an id in a later answer, which is another call
      const last = callOf(draft, event.toolCallId);
      const isArriving = last?.state === 'input-streaming' && last.step === draft.facts.steps.length - 1;
      const call = isArriving ? last : addCall(draft, event);
      refreshInputs(draft.progress, event.toolCallId);
      draft.progress.inputs.delete(event.toolCallId);
      call.input = event.input;
      delete call.partialInput;
      call.state = event.invalid === undefined ? 'input-available' : 'output-error';
      if (event.invalid !== undefined) call.errorText = event.invalid;
      if (call.inputText === '') call.inputText = inputText(event.input);
      return;
    }
    case 'retry':
      if (event.attempt === undefined) dropStepCalls(draft);
      return;
    default: {
      const call = 'toolCallId' in event ? callOf(draft, event.toolCallId) : undefined;
      if (call !== undefined) applyToCall(draft, call, event);
    }
  }
}

function applyToCall(draft: StateDraft, call: ToolCallState, event: RunEvent): void {
  switch (event.type) {
    case 'tool-input-delta':
      call.inputText += event.delta;
      // another branch of states may have fed the reader
      if (call.inputEncoding !== 'text') {
        const { inputs } = draft.progress;
        const { toolCallId, inputText } = call;
        inputs.set(toolCallId, feedReader(inputs.get(toolCallId), inputText, event.delta));
      }
      if (!('input' in call)) markStale(draft.progress, call);
      return;
    case 'tool-start':
      call.state = 'running';
      call.startedAt = event.t;
      return;
    case 'tool-preliminary':
      call.output = event.output;
      return;
    case 'tool-end':
      call.output = event.output;
      call.state = 'output-available';
      if (event.repeated) call.repeated = true;
      finishCall(call, event);
      return;
    case 'tool-error':
      call.state = 'output-error';
      call.errorText = event.error;
      finishCall(call, event);
      return;
    case 'sub-call-start': {
      // sub-calls start one after the other; anything else is not our log
      if (event.index !== (call.subCalls?.length ?? 0)) return;
      const { name, input, t: startedAt } = event;
      (call.subCalls = draft.writable(call.subCalls ?? [])).push({
        name,
        input,
        state: 'running',
        startedAt,
      });
      return;
    }
    case 'sub-call-end': {
      const { index, output, error, repeated, ms } = event;
      const subCall = call.subCalls?.[index];
      if (subCall?.state !== 'running') return;
      (call.subCalls = draft.writable(call.subCalls!))[index] = {
        ...subCall,
        ms,
        ...(repeated && { repeated }),
        ...(error === undefined
          ? { state: 'output-available', output }
          : { state: 'output-error', errorText: error }),
      };
      return;
    }
    default:
  }
}

/** Marks the calls without an end, and their sub-calls, as interrupted. */
export function interruptCalls(draft: StateDraft, t: number): void {
  for (const [index, { state }] of draft.facts.toolCalls.entries()) {
    if (state === 'output-available' || state === 'output-error') continue;
    const call = callAt(draft, index);
    call.state = 'interrupted';
    call.finishedAt = t;
    interruptSubCalls(call);
  }
}

function interruptSubCalls(call: ToolCallState): void {
  if (call.subCalls === undefined) return;
  call.subCalls = call.subCalls.map((subCall) =>
    subCall.state === 'running' ? { ...subCall, state: 'interrupted' } : subCall,
  );
}

/** Removes the calls of the current step. */
function dropStepCalls({ facts, writable, indexes, progress }: StateDraft): void {
  const current = facts.steps.length - 1;
  if (facts.toolCalls.at(-1)?.step !== current) return;
  // calls of other steps stay, with all of their arguments
  refreshInputs(progress);
  const calls = (facts.toolCalls = writable(facts.toolCalls));
  while (calls.at(-1)?.step === current) {
    truncateIndex(indexes.calls, calls, calls.length - 1);
    progress.inputs.delete(calls.pop()!.toolCallId);
  }
}

/** Returns the last call of this id. */
function callOf(draft: StateDraft, toolCallId: string): ToolCallState | undefined {
  const index = lastIndexOfId(draft.indexes.calls, draft.facts.toolCalls, toolCallId);
  return index === undefined ? undefined : callAt(draft, index);
}

/** Returns the call at an index as a copy that may be written to. */
function callAt({ facts, writable }: StateDraft, index: number): ToolCallState {
  const calls = (facts.toolCalls = writable(facts.toolCalls));
  return (calls[index] = writable(calls[index]!));
}

function addCall(
  { facts, writable }: StateDraft,
  {
    toolCallId,
    toolName,
    inputEncoding,
    t,
  }: { toolCallId: string; toolName: string; inputEncoding?: 'json' | 'text'; t: number },
): ToolCallState {
  const call: ToolCallState = {
    toolCallId,
    toolName,
    step: facts.steps.length - 1,
    state: 'input-streaming',
    inputText: '',
    ...(inputEncoding === 'text' ? { inputEncoding } : {}),
    calledAt: t,
  };
  (facts.toolCalls = writable(facts.toolCalls)).push(call);
  return call;
}

/** Sets when a call ended. Its result may be read later than that, so `ms` was measured where the tool ran. */
function finishCall(call: ToolCallState, { t, ms, edited }: { t: number; ms?: number; edited?: true }): void {
  interruptSubCalls(call);
  if (edited) call.edited = true;
  call.finishedAt = t;
  if (ms === undefined) return;
  call.ms = ms;
  if (call.startedAt !== undefined) call.finishedAt = call.startedAt + ms;
}

function inputText(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
}
