import { withoutUndefined } from '../base/without-undefined.ts';
import type { MessagePart, StateDraft, StateFields, ToolPart } from './state-draft.ts';
import type { RunEvent, ToolCallFacts } from './events.ts';
import { addPart, partAt, stepMessage, writtenParts } from './written-message.ts';
import { lastIndexOfId } from './id-index.ts';
import { markStale, refreshInputs } from './refresh-inputs.ts';

type ToolEvent = Extract<RunEvent, { toolCallId: string } | { approvalId: string }>;
type Event<Type extends ToolEvent['type']> = Extract<ToolEvent, { type: Type }>;

/** The error of a call that waited for an approval when its run ended. */
export const UNANSWERED = 'The run ended before this was answered.';
/** The error of a call whose approval was withdrawn. */
export const WITHDRAWN = 'The approval is no longer needed.';

/**
 * Writes one event of a tool call into its part of the assistant's message. `toolCallId` is the call of a response or a
 * withdrawal, which name only their approval.
 */
export function applyToToolPart(draft: StateDraft, event: RunEvent, toolCallId?: string): void {
  switch (event.type) {
    case 'tool-input-start': {
      const { inputEncoding } = event;
      return writeInput(draft, event, { state: 'input-streaming', input: undefined, inputEncoding });
    }
    case 'tool-input-delta':
      return addInput(draft, event);
    case 'tool-input-end':
      return endInput(draft, event);
    case 'tool-preliminary':
    case 'tool-end':
    case 'tool-error':
    case 'approval-automatic':
    case 'approval-request':
    case 'approval-response':
    case 'approval-withdraw': {
      const id = 'toolCallId' in event ? event.toolCallId : toolCallId;
      const part = id === undefined ? undefined : findPart(draft, id);
      if (part !== undefined) applyToPart(draft, part, event);
      return;
    }
    default:
  }
}

/** Adds a piece of the arguments, which are parsed when a snapshot is made. */
function addInput(draft: StateDraft, { toolCallId, delta }: Event<'tool-input-delta'>): void {
  const isStreaming = (part: ToolPart): boolean => part.state === 'input-streaming';
  const part = findLast(draft, writtenParts(draft), toolCallId, isStreaming);
  if (part === undefined) return;
  part.rawInput = (part.rawInput ?? '') + delta;
  markStale(draft.progress, part);
}

/** The arguments are complete, or invalid. */
function endInput(draft: StateDraft, event: Event<'tool-input-end'>): void {
  const { input, invalid } = event;
  if (invalid === undefined) return writeInput(draft, event, { state: 'input-available', input });
  // a started call keeps its kind
  const begun = findInStep(draft, event.toolCallId, () => true);
  const dynamic = begun === undefined ? event.dynamic === true : begun.type === 'dynamic-tool';
  writeInput(draft, { ...event, dynamic }, { state: 'output-error', input, errorText: invalid });
}

/** An event of a call whose arguments are complete. */
type PartEvent =
  | Event<'tool-preliminary' | 'tool-end' | 'tool-error'>
  | Extract<ToolEvent, { approvalId: string }>;

function applyToPart(draft: StateDraft, part: ToolPart, event: PartEvent): void {
  switch (event.type) {
    case 'tool-preliminary':
    case 'tool-end': {
      const { output = null } = event;
      const preliminary = event.type === 'tool-preliminary' || undefined;
      refreshInputs(draft.progress, event.toolCallId);
      return writeResult(part, event, { state: 'output-available', output, preliminary });
    }
    case 'tool-error':
      refreshInputs(draft.progress, event.toolCallId);
      if (part.approval?.approved === false) part.state = 'output-denied';
      else writeResult(part, event, { state: 'output-error', errorText: event.error });
      return;
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
  const { approved } = response;
  const reason = response.approved ? undefined : response.reason;
  part.state = part.providerExecuted === true && !approved ? 'output-denied' : 'approval-responded';
  part.approval = { ...part.approval, ...withoutUndefined({ id: approvalId, approved, reason }) };
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
  event: { toolCallId: string; toolName: string } & ToolCallFacts,
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
  if (now.state === 'output-error') return addFacts(part, event, 'resultProviderMetadata');
  if (title !== undefined) part.title = title;
  addFacts(part, event, 'callProviderMetadata');
}

function addToolPart(draft: StateDraft, part: ToolPart): ToolPart {
  return partAt(draft, addPart(draft, part as unknown as MessagePart)) as ToolPart;
}

function writeResult(part: ToolPart, event: ToolCallFacts, now: Pick<ToolPart, 'state'> & StateFields): void {
  write(part, now);
  addFacts(part, event, 'resultProviderMetadata');
}

/** Sets the fields of the new state, and removes those of earlier states. */
function write(part: ToolPart, now: Pick<ToolPart, 'state'> & StateFields): void {
  Object.assign(part, now);
  for (const key of ['inputEncoding', 'rawInput', 'output', 'errorText', 'preliminary'] as const) {
    if (now[key] === undefined) delete part[key];
  }
}

function addFacts(
  part: ToolPart,
  { providerExecuted, toolMetadata, providerMetadata }: ToolCallFacts,
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
function findPart(draft: StateDraft, toolCallId: string): ToolPart | undefined {
  const parts = writtenParts(draft);
  const { stepStartIndex = Infinity } = draft.progress;
  let index = lastIndexOfId(draft.indexes.parts, parts, toolCallId);
  for (let at = index; at !== undefined && at > stepStartIndex;) {
    index = at;
    at = lastIndexOfId(draft.indexes.parts, parts, toolCallId, stepStartIndex, at);
  }
  return partAt(draft, index) as ToolPart | undefined;
}
