import type { RunState, SerializedError, StepState, ToolCallState } from '@cueline/core';
import type { UIMessage } from 'ai';

/** One row of the transcript. `key` stays the same for the same row from frame to frame. */
export type TranscriptItem = { key: string } & (
  | { kind: 'system'; text: string; variables: number }
  | { kind: 'user'; text: string; files: number; variables: RunState['variables'] }
  | { kind: 'step'; step: StepState; waiting: boolean }
  | { kind: 'reasoning'; text: string; streaming: boolean }
  | { kind: 'text'; text: string; streaming: boolean }
  | { kind: 'tool'; call: ToolCallState; live: boolean }
  | { kind: 'source'; title: string; url: string | undefined }
  | { kind: 'file'; mediaType: string }
  | { kind: 'warning'; message: string }
  | { kind: 'error'; error: SerializedError }
  | { kind: 'stopped' }
);

type Part = UIMessage['parts'][number];

/**
 * The rows that a run shows, in the order in which they happened. `earlier` are the runs of the same conversation
 * before it: their messages are in `state` already, their tool calls' times are only in them.
 */
export function toTranscript(state: RunState, earlier: readonly RunState[] = []): TranscriptItem[] {
  if (state.status === 'idle') return [];
  const items: TranscriptItem[] = [];
  const instructions = state.steps[0]?.request.instructions ?? '';
  if (instructions !== '') {
    items.push({
      key: 'system',
      kind: 'system',
      text: instructions,
      variables: Object.keys(state.variables).length,
    });
  }
  const calls = new Map<string, ToolCallState>();
  for (const run of earlier) for (const call of run.toolCalls) calls.set(call.toolCallId, call);
  for (const call of state.toolCalls) calls.set(call.toolCallId, call);

  const answer = state.messages.at(-1);
  const answering = answer?.role === 'assistant' && state.steps.length > 0 ? answer : undefined;
  for (const message of state.messages) {
    if (message === answering) break;
    addMessage(items, message, { calls, variables: state.variables, steps: [], live: false });
  }
  const steps = [...state.steps];
  const live = state.status === 'running' || state.status === 'waiting';
  if (answering !== undefined)
    addMessage(items, answering, { calls, variables: state.variables, steps, live });
  // Steps that have said nothing yet have no part in the message.
  for (const step of steps) items.push(stepItem(step, live));

  for (const [index, message] of state.warnings.entries()) {
    items.push({ key: `warning-${index}`, kind: 'warning', message });
  }
  if (state.status === 'error') items.push({ key: 'error', kind: 'error', error: state.error });
  if (state.status === 'stopped') items.push({ key: 'stopped', kind: 'stopped' });
  return items;
}

type MessageContext = {
  calls: ReadonlyMap<string, ToolCallState>;
  variables: RunState['variables'];
  /** Steps still to be shown; each `step-start` part takes the first. */
  steps: StepState[];
  live: boolean;
};

function addMessage(items: TranscriptItem[], message: UIMessage, context: MessageContext): void {
  if (message.role === 'user') {
    const files = message.parts.filter((part) => part.type === 'file').length;
    items.push({ key: message.id, kind: 'user', text: textOf(message), files, variables: context.variables });
    return;
  }
  for (const [index, part] of message.parts.entries()) {
    const item = partItem(part, `${message.id}-${index}`, context);
    if (item !== undefined) items.push(item);
  }
}

function partItem(
  part: Part,
  key: string,
  { calls, steps, live }: MessageContext,
): TranscriptItem | undefined {
  switch (part.type) {
    case 'step-start': {
      const step = steps.shift();
      return step === undefined ? undefined : stepItem(step, live);
    }
    case 'text':
      return part.text === ''
        ? undefined
        : { key, kind: 'text', text: part.text, streaming: live && part.state === 'streaming' };
    case 'reasoning':
      return { key, kind: 'reasoning', text: part.text, streaming: live && part.state === 'streaming' };
    case 'source-url':
      return { key, kind: 'source', title: part.title ?? part.url, url: part.url };
    case 'source-document':
      return { key, kind: 'source', title: part.title, url: undefined };
    case 'file':
      return { key, kind: 'file', mediaType: part.mediaType };
    default: {
      if (!('toolCallId' in part)) return undefined;
      const call = calls.get(part.toolCallId) ?? callOf(part);
      return { key, kind: 'tool', call, live };
    }
  }
}

function stepItem(step: StepState, live: boolean): TranscriptItem {
  return { key: `step-${step.step}`, kind: 'step', step, waiting: live && step.firstOutputAt === undefined };
}

/** A call of which only the message is left, such as one of a conversation that was opened from elsewhere. */
function callOf(part: Extract<Part, { toolCallId: string }>): ToolCallState {
  const toolName = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length);
  const state =
    part.state === 'output-available' || part.state === 'output-error'
      ? part.state
      : ('interrupted' as const);
  return {
    toolCallId: part.toolCallId,
    toolName,
    step: 0,
    state,
    inputText: '',
    input: part.input,
    output: part.output,
    ...(part.errorText === undefined ? {} : { errorText: part.errorText }),
    calledAt: 0,
  };
}

function textOf(message: UIMessage): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** A run's stand in a few words, spoken to screen readers when it changes. */
export function announcement(state: RunState): string {
  switch (state.status) {
    case 'idle':
    case 'waiting':
      return '';
    case 'running': {
      const call = state.toolCalls.findLast(({ state: stand }) => stand === 'running');
      if (call !== undefined) return `Running tool ${call.toolName}.`;
      const step = state.steps.length;
      return step === 0 ? 'Run started.' : `Step ${step}: ${phaseWords[state.phase]}.`;
    }
    case 'done': {
      const failed = state.toolCalls.filter(({ state: stand }) => stand === 'output-error').length;
      const tools = state.toolCalls.length;
      const toolWords =
        tools === 0 ? '' : ` ${tools} tool ${tools === 1 ? 'call' : 'calls'}, ${failed} failed.`;
      return `Run done.${toolWords} ${state.text.slice(0, 200)}`;
    }
    case 'stopped':
      return 'Run stopped.';
    case 'error':
      return `Run failed. ${state.error.message}`;
  }
}

/** What a running run is doing, in the words of the interface. */
export const phaseWords: Record<Extract<RunState, { status: 'running' }>['phase'], string> = {
  requesting: 'waiting for the model',
  reasoning: 'thinking',
  text: 'writing',
  'tool-input': 'calling a tool',
  tools: 'running tools',
};
