import { withoutUndefined, type Defined } from '../base/without-undefined.ts';
import { createPartialJson, feedReader } from '../json/partial-json.ts';
import type { RunEvent, ToolCallMetadata } from './events.ts';
import { truncateIndex, lastIndexOfId } from './id-index.ts';
import { UNANSWERED, WITHDRAWN } from './pending.ts';
import { markStale, refreshInputs } from './refresh-inputs.ts';
import type { MessagePart, StateDraft, StateFields, ToolPart } from './state-draft.ts';
import type { ToolCallState } from './state.ts';
import { addPart, partAt, stepMessage, writtenParts } from './written-message.ts';

type ToolEvent = Extract<RunEvent, { toolCallId: string } | { approvalId: string }>;
type Event<Type extends ToolEvent['type']> = Extract<ToolEvent, { type: Type }>;

/**
 * Writes one event of a tool call into the state's tool calls, and into the call's part of the assistant's message.
 * `toolCallId` is the call of a response or a withdrawal, which name only their approval.
 */
export function applyToToolCalls(draft: StateDraft, event: RunEvent, toolCallId?: string): void {
  switch (event.type) {
    case 'tool-input-start':
      return beginInput(draft, event);
    case 'tool-input-delta':
      return addInput(draft, event);
    case 'tool-input-end':
      return endInput(draft, event);
    case 'tool-preliminary':
    case 'tool-end':
    case 'tool-error':
      return applyResult(draft, event);
    case 'tool-start':
    case 'sub-call-start':
    case 'sub-call-end': {
      const call = callOf(draft, event.toolCallId);
      if (call !== undefined) applyToCall(draft, call, event);
      return;
    }
    case 'retry':
      if (event.attempt === undefined) dropStepCalls(draft);
      return;
    case 'approval-automatic':
    case 'approval-request':
    case 'approval-response':
    case 'approval-withdraw': {
      const part = findPart(draft, 'toolCallId' in event ? event.toolCallId : toolCallId);
      if (part !== undefined) applyApproval(draft, part, event);
      return;
    }
    default:
  }
}

function beginInput(draft: StateDraft, event: Event<'tool-input-start'>): void {
  const { toolCallId, inputEncoding } = event;
  addCall(draft, event);
  // a repeated id has another reader from here on
  refreshInputs(draft.progress, toolCallId);
  draft.progress.inputs.set(toolCallId, createPartialJson());
  writeInput(draft, event, { state: 'input-streaming', input: undefined, inputEncoding });
}

/** Adds a piece of the arguments, which are parsed when a snapshot is made. */
function addInput(draft: StateDraft, { toolCallId, delta }: Event<'tool-input-delta'>): void {
  const { inputs } = draft.progress;
  const call = callOf(draft, toolCallId);
  if (call !== undefined) {
    call.inputText += delta;
    // another branch of states may have fed the reader
    if (call.inputEncoding !== 'text') {
      inputs.set(toolCallId, feedReader(inputs.get(toolCallId), call.inputText, delta));
    }
    if (!('input' in call)) markStale(draft.progress, call);
  }
  const isStreaming = (part: ToolPart): boolean => part.state === 'input-streaming';
  const part = findLast(draft, writtenParts(draft), toolCallId, isStreaming);
  if (part === undefined) return;
  part.rawInput = (part.rawInput ?? '') + delta;
  markStale(draft.progress, part);
}

/** The arguments are complete, or invalid. */
function endInput(draft: StateDraft, event: Event<'tool-input-end'>): void {
  const { toolCallId, input, invalid } = event;
  // some models repeat an id in a later answer, which is another call
  const last = callOf(draft, toolCallId);
  const isArriving = last?.state === 'input-streaming' && last.step === draft.fields.steps.length - 1;
  const call = isArriving ? last : addCall(draft, event);
  refreshInputs(draft.progress, toolCallId);
  draft.progress.inputs.delete(toolCallId);
  call.input = input;
  delete call.partialInput;
  if (call.inputText === '') call.inputText = inputText(input);
  if (invalid === undefined) {
    call.state = 'input-available';
    return writeInput(draft, event, { state: 'input-available', input });
  }
  call.state = 'output-error';
  call.errorText = invalid;
  // a started call keeps its kind
  const begun = findInStep(draft, toolCallId, () => true);
  const dynamic = begun === undefined ? event.dynamic === true : begun.type === 'dynamic-tool';
  writeInput(draft, { ...event, dynamic }, { state: 'output-error', input, errorText: invalid });
}

/** The call has a result, or has failed. */
function applyResult(draft: StateDraft, event: Event<'tool-preliminary' | 'tool-end' | 'tool-error'>): void {
  const { toolCallId } = event;
  const call = callOf(draft, toolCallId);
  const part = findPart(draft, toolCallId);
  refreshInputs(draft.progress, toolCallId);
  if (call !== undefined) applyToCall(draft, call, event);
  if (part === undefined) return;
  if (event.type !== 'tool-error') {
    const { output = null } = event;
    const preliminary = event.type === 'tool-preliminary' || undefined;
    writeResult(part, event, { state: 'output-available', output, preliminary });
  } else if (part.approval?.approved === false) part.state = 'output-denied';
  else writeResult(part, event, { state: 'output-error', errorText: event.error });
}

/** Writes an event of a call whose arguments are complete into the state's tool calls. */
function applyToCall(draft: StateDraft, call: ToolCallState, event: RunEvent): void {
  switch (event.type) {
    case 'tool-start':
      call.state = 'running';
      call.startedAt = event.t;
      return;
    case 'tool-preliminary':
    case 'tool-end':
      call.output = event.output;
      if (event.type === 'tool-preliminary') return;
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
  for (const [index, { state }] of draft.fields.toolCalls.entries()) {
    if (state.startsWith('output-')) continue;
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
function dropStepCalls({ fields, writable, indexes, progress }: StateDraft): void {
  const current = fields.steps.length - 1;
  if (fields.toolCalls.at(-1)?.step !== current) return;
  // calls of other steps stay, with all of their arguments
  refreshInputs(progress);
  const calls = (fields.toolCalls = writable(fields.toolCalls));
  while (calls.at(-1)?.step === current) {
    truncateIndex(indexes.calls, calls, calls.length - 1);
    progress.inputs.delete(calls.pop()!.toolCallId);
  }
}

/** Returns the last call of this id. */
function callOf(draft: StateDraft, toolCallId: string): ToolCallState | undefined {
  const index = lastIndexOfId(draft.indexes.calls, draft.fields.toolCalls, toolCallId);
  return index === undefined ? undefined : callAt(draft, index);
}

/** Returns the call at an index as a copy that may be written to. */
function callAt({ fields, writable }: StateDraft, index: number): ToolCallState {
  const calls = (fields.toolCalls = writable(fields.toolCalls));
  return (calls[index] = writable(calls[index]!));
}

function addCall(
  { fields, writable }: StateDraft,
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
    step: fields.steps.length - 1,
    state: 'input-streaming',
    inputText: '',
    ...(inputEncoding === 'text' && { inputEncoding }),
    calledAt: t,
  };
  (fields.toolCalls = writable(fields.toolCalls)).push(call);
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

/** Writes an event of an approval into the part of its call. */
function applyApproval(
  draft: StateDraft,
  part: ToolPart,
  event: Extract<ToolEvent, { approvalId: string }>,
): void {
  switch (event.type) {
    case 'approval-automatic': {
      const { approvalId: id, approved, reason } = event;
      part.state = 'approval-responded';
      part.approval = withoutUndefined({ id, isAutomatic: true, approved, reason });
      return;
    }
    case 'approval-request': {
      const { approvalId: id, reason } = event;
      part.state = 'approval-requested';
      part.approval = withoutUndefined({ id, requestReason: reason });
      return;
    }
    case 'approval-response':
      if (part.approval?.id === event.approvalId) respondToApproval(part, event);
      return;
    case 'approval-withdraw':
      if (part.approval?.id === event.approvalId && part.state === 'approval-requested') {
        leaveUnanswered(draft, part, WITHDRAWN);
      }
  }
}

/** The approval is given or refused. A refused call of a provider has no other end. */
function respondToApproval(part: ToolPart, { approvalId, response }: Event<'approval-response'>): void {
  part.state = part.providerExecuted === true && !response.approved ? 'output-denied' : 'approval-responded';
  // a response in a log has no member that is undefined
  part.approval = { ...part.approval, ...(response as Defined<typeof response>), id: approvalId };
}

/** Ends the calls that still wait for an approval as failed. */
export function closeApprovals(draft: StateDraft): void {
  for (const [index, part] of writtenParts(draft).entries()) {
    if ('toolCallId' in part && part.state === 'approval-requested') {
      leaveUnanswered(draft, partAt(draft, index) as ToolPart, UNANSWERED);
    }
  }
}

function leaveUnanswered({ progress }: StateDraft, part: ToolPart, errorText: string): void {
  refreshInputs(progress, part.toolCallId);
  writeResult(part, {}, { state: 'output-error', errorText });
}

/**
 * Updates the part of a call, or adds one. Like the AI SDK, looks for it in the current step among calls of the same
 * kind.
 */
function writeInput(
  draft: StateDraft,
  event: { toolCallId: string; toolName: string } & ToolCallMetadata,
  now: Pick<ToolPart, 'state'> & StateFields,
): void {
  const { toolCallId, toolName, dynamic, title } = event;
  const isDynamic = dynamic === true;
  const type = isDynamic ? 'dynamic-tool' : `tool-${toolName}`;
  const isIt = (part: ToolPart): boolean => (part.type === 'dynamic-tool') === isDynamic;
  const part = findInStep(draft, toolCallId, isIt) ?? addToolPart(draft, { type, toolCallId, ...now });
  part.type = type;
  if (isDynamic) part.toolName = toolName;
  write(part, now);
  if (now.state === 'output-error') return addMetadata(part, event, 'resultProviderMetadata');
  if (title !== undefined) part.title = title;
  addMetadata(part, event, 'callProviderMetadata');
}

function addToolPart(draft: StateDraft, part: ToolPart): ToolPart {
  return partAt(draft, addPart(draft, part as unknown as MessagePart)) as ToolPart;
}

function writeResult(
  part: ToolPart,
  event: ToolCallMetadata,
  now: Pick<ToolPart, 'state'> & StateFields,
): void {
  write(part, now);
  addMetadata(part, event, 'resultProviderMetadata');
}

/** Sets the fields of the new state, and removes those of earlier states. */
function write(part: ToolPart, now: Pick<ToolPart, 'state'> & StateFields): void {
  Object.assign(part, now);
  for (const key of ['inputEncoding', 'rawInput', 'output', 'errorText', 'preliminary'] as const) {
    if (now[key] === undefined) delete part[key];
  }
}

function addMetadata(
  part: ToolPart,
  { providerExecuted, toolMetadata, providerMetadata }: ToolCallMetadata,
  metadataKey: 'callProviderMetadata' | 'resultProviderMetadata',
): void {
  Object.assign(part, withoutUndefined({ providerExecuted, toolMetadata, [metadataKey]: providerMetadata }));
}

/** Returns the part of a call in the current step, because a repeated id in a later step is another call. */
function findInStep(
  draft: StateDraft,
  toolCallId: string,
  isIt: (part: ToolPart) => boolean,
): ToolPart | undefined {
  const { parts } = stepMessage(draft);
  return findLast(draft, parts, toolCallId, isIt, draft.progress.stepStartIndex);
}

/** Returns the last part of a call for which `isIt` is true, from the index `from` on. */
function findLast(
  draft: StateDraft,
  parts: readonly MessagePart[],
  toolCallId: string,
  isIt: (part: ToolPart) => boolean,
  from?: number,
): ToolPart | undefined {
  let index: number | undefined;
  do index = lastIndexOfId(draft.indexes.parts, parts, toolCallId, from, index);
  while (index !== undefined && !isIt(parts[index] as ToolPart));
  return partAt(draft, index) as ToolPart | undefined;
}

/** Returns the part of a call: the first in the current step, like the AI SDK, or else the last before it. */
function findPart(draft: StateDraft, toolCallId: string | undefined): ToolPart | undefined {
  if (toolCallId === undefined) return undefined;
  const parts = writtenParts(draft);
  const { stepStartIndex = Infinity } = draft.progress;
  let index = lastIndexOfId(draft.indexes.parts, parts, toolCallId);
  for (let at = index; at !== undefined && at > stepStartIndex;) {
    index = at;
    at = lastIndexOfId(draft.indexes.parts, parts, toolCallId, stepStartIndex, at);
  }
  return partAt(draft, index) as ToolPart | undefined;
}
