import type { UIMessage } from 'ai';
import type { RunEvent, ToolCallFacts } from './events.ts';
import type { PartialJson } from './partial-json.ts';
import type { ToolCallState } from './state.ts';
import type { WorkDraft } from './work.ts';

type Part = UIMessage['parts'][number];

/** A tool's part of a UI message while it is being written, whichever state it is in. */
export type ToolPart = {
  type: string;
  toolCallId: string;
  toolName?: string;
  state: 'input-streaming' | 'input-available' | 'output-available' | 'output-error';
  input: unknown;
  rawInput?: string | undefined;
  output?: unknown;
  errorText?: string;
  preliminary?: boolean | undefined;
  title?: string;
  providerExecuted?: boolean;
  callProviderMetadata?: unknown;
  resultProviderMetadata?: unknown;
};

/** What has to be remembered between two events to go on writing a message. */
export type MessageProgress = {
  messageId: string;
  /** Places of the text and reasoning parts that have not ended, by kind and id. */
  open: Map<string, number>;
  /** Readers of the tool arguments that are still arriving, by tool call id. */
  inputs: Map<string, PartialJson>;
  /** Tool parts and calls that are behind the readers of their arguments; brought up to date once a snapshot. */
  stale: Set<ToolPart | ToolCallState>;
  /** Whether the current step has written text yet. */
  stepHasText: boolean;
  /** Whether the message has the current step's `step-start` part. */
  stepStarted: boolean;
};

/**
 * Writes one event into the assistant's message, with the parts that the AI SDK's own `readUIMessageStream` makes of
 * the same run (a test holds the two equal).
 */
export function applyToMessage(draft: WorkDraft, event: RunEvent): void {
  const { progress } = draft;
  switch (event.type) {
    case 'step-start':
      progress.stepStarted = false;
      return;
    case 'step-end':
      stepMessage(draft);
      return;
    case 'steer':
      writtenMessage(draft).parts.push(steeringPart(event));
      return;
    case 'text-start':
    case 'reasoning-start': {
      const kind = event.type === 'text-start' ? 'text' : 'reasoning';
      const index = addPart(draft, {
        type: kind,
        ...(kind === 'reasoning' ? { id: event.id } : {}),
        text: '',
        state: 'streaming',
        ...metadata(event),
      });
      progress.open.set(`${kind}:${event.id}`, index);
      return;
    }
    case 'text-delta':
    case 'reasoning-delta': {
      const kind = event.type === 'text-delta' ? 'text' : 'reasoning';
      const part = partAt(draft, progress.open.get(`${kind}:${event.id}`));
      if (part?.type !== kind) return;
      part.text += event.text;
      if (event.providerMetadata !== undefined) part.providerMetadata = event.providerMetadata;
      return;
    }
    case 'text-end':
    case 'reasoning-end': {
      const kind = event.type === 'text-end' ? 'text' : 'reasoning';
      const key = `${kind}:${event.id}`;
      const part = partAt(draft, progress.open.get(key));
      progress.open.delete(key);
      if (part?.type !== kind) return;
      part.state = 'done';
      if (event.providerMetadata !== undefined) part.providerMetadata = event.providerMetadata;
      return;
    }
    case 'source': {
      const { sourceType, id, ...facts } = event.source;
      addPart(draft, { type: `source-${sourceType}`, sourceId: id, ...facts } as Part);
      return;
    }
    case 'file':
      addPart(draft, {
        type: event.reasoning === true ? 'reasoning-file' : 'file',
        mediaType: event.mediaType,
        url: event.url,
        ...metadata(event),
      });
      return;
    case 'tool-input-start':
      beginToolPart(draft, event);
      return;
    case 'tool-input-delta': {
      const part = toolPart(draft, event.toolCallId);
      if (part?.state !== 'input-streaming') return;
      part.rawInput = (part.rawInput ?? '') + event.delta;
      progress.stale.add(part);
      return;
    }
    case 'tool-input-end': {
      const part = stepToolPart(draft, event.toolCallId) ?? beginToolPart(draft, event);
      progress.stale.delete(part);
      part.state = event.invalid === undefined ? 'input-available' : 'output-error';
      part.input = event.input;
      delete part.rawInput;
      if (event.invalid !== undefined) part.errorText = event.invalid;
      addFacts(part, event, event.invalid === undefined ? 'callProviderMetadata' : 'resultProviderMetadata');
      return;
    }
    case 'tool-preliminary':
    case 'tool-end': {
      const part = toolPart(draft, event.toolCallId);
      if (part === undefined) return;
      readInputs(progress, event.toolCallId);
      part.state = 'output-available';
      part.output = event.output === undefined ? null : event.output;
      delete part.preliminary;
      if (event.type === 'tool-preliminary') part.preliminary = true;
      addFacts(part, event, 'resultProviderMetadata');
      return;
    }
    case 'tool-error': {
      const part = toolPart(draft, event.toolCallId);
      if (part === undefined) return;
      readInputs(progress, event.toolCallId);
      part.state = 'output-error';
      part.errorText = event.error;
      delete part.output;
      addFacts(part, event, 'resultProviderMetadata');
      return;
    }
    default:
  }
}

/** Brings up to date what shows arguments that have gone on: all of it, or that of one id. */
export function readInputs({ stale, inputs }: MessageProgress, toolCallId?: string): void {
  for (const shown of stale) {
    if (toolCallId !== undefined && shown.toolCallId !== toolCallId) continue;
    stale.delete(shown);
    const value = inputs.get(shown.toolCallId)?.value();
    if (!('inputText' in shown)) shown.input = value;
    else if (value === undefined) delete shown.partialInput;
    else shown.partialInput = value;
  }
}

/** What the model was told between two steps, as a part of the message in whose middle it was said. */
export function steeringPart({ id, text }: { id: string; text: string }): SteeringPart {
  return { type: 'steering-message', id, parts: [{ type: 'text', text }] };
}

type SteeringPart = Extract<Part, { type: 'steering-message' }>;

/** The message that the run writes; made when there is something to write into it. */
function writtenMessage(draft: WorkDraft): UIMessage {
  let message = lastMessage(draft);
  if (message?.id !== draft.progress.messageId || message.role !== 'assistant') {
    message = { id: draft.progress.messageId, role: 'assistant', parts: [] };
    (draft.facts.messages = draft.own(draft.facts.messages)).push(message);
  }
  return message;
}

/** The message with the current step's mark. */
function stepMessage(draft: WorkDraft): UIMessage {
  const message = writtenMessage(draft);
  if (!draft.progress.stepStarted) {
    message.parts.push({ type: 'step-start' });
    draft.progress.stepStarted = true;
  }
  return message;
}

function lastMessage({ facts, own }: WorkDraft): UIMessage | undefined {
  const index = facts.messages.length - 1;
  const message = facts.messages[index];
  if (message === undefined) return undefined;
  const messages = (facts.messages = own(facts.messages));
  const mine = (messages[index] = own(message));
  mine.parts = own(mine.parts);
  return mine;
}

function addPart(draft: WorkDraft, part: Part): number {
  const { parts } = stepMessage(draft);
  parts.push(part);
  return parts.length - 1;
}

function partAt(draft: WorkDraft, index: number | undefined): Part | undefined {
  const parts = lastMessage(draft)?.parts;
  const part = index === undefined ? undefined : parts?.[index];
  if (parts === undefined || part === undefined || index === undefined) return undefined;
  return (parts[index] = draft.own(part));
}

function toolPart(draft: WorkDraft, toolCallId: string): ToolPart | undefined {
  const message = lastMessage(draft);
  if (message?.id !== draft.progress.messageId) return undefined;
  const index = message.parts.findLastIndex((part) => 'toolCallId' in part && part.toolCallId === toolCallId);
  return partAt(draft, index) as ToolPart | undefined;
}

/** The part of a call in the current step: an id that a later step uses again is another call. */
function stepToolPart(draft: WorkDraft, toolCallId: string): ToolPart | undefined {
  const { parts } = stepMessage(draft);
  // no further back than to the step's mark, since a message of a thousand steps has thousands of parts
  const index = parts.findLastIndex(
    (part) => part.type === 'step-start' || ('toolCallId' in part && part.toolCallId === toolCallId),
  );
  return parts[index]?.type === 'step-start' ? undefined : (partAt(draft, index) as ToolPart | undefined);
}

function beginToolPart(
  draft: WorkDraft,
  event: { toolCallId: string; toolName: string } & ToolCallFacts,
): ToolPart {
  const known = stepToolPart(draft, event.toolCallId);
  if (known !== undefined) {
    known.state = 'input-streaming';
    known.input = undefined;
    delete known.output;
    delete known.errorText;
    delete known.rawInput;
    return known;
  }
  const part: ToolPart = {
    ...(event.dynamic === true
      ? { type: 'dynamic-tool', toolName: event.toolName }
      : { type: `tool-${event.toolName}` }),
    toolCallId: event.toolCallId,
    state: 'input-streaming',
    input: undefined,
  };
  addFacts(part, event, 'callProviderMetadata');
  const index = addPart(draft, part as unknown as Part);
  return partAt(draft, index) as unknown as ToolPart;
}

function addFacts(
  part: ToolPart,
  facts: ToolCallFacts,
  metadataKey: 'callProviderMetadata' | 'resultProviderMetadata',
): void {
  if (facts.title !== undefined) part.title = facts.title;
  if (facts.providerExecuted !== undefined) part.providerExecuted = facts.providerExecuted;
  if (facts.providerMetadata !== undefined) part[metadataKey] = facts.providerMetadata;
}

function metadata(event: { providerMetadata?: unknown }): { providerMetadata?: never } {
  return event.providerMetadata === undefined ? {} : { providerMetadata: event.providerMetadata as never };
}
