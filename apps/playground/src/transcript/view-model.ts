import type { AgentState, RunState, StepState } from '@cueline/core';
import type { UIMessage } from 'ai';
import { isUnderWay } from '../state/is-under-way.ts';
import {
  agentFor,
  callOfPart,
  knownCalls,
  requestFor,
  takeCall,
  type KnownCall,
  type KnownCalls,
} from './known-calls.ts';
import type { FilePart, TranscriptItem } from './transcript-item.ts';

type Part = UIMessage['parts'][number];

/**
 * The rows that a run shows, in the order in which they happened. `earlier` are the runs of the same conversation
 * before it: their messages are in `state` already, their tool calls' times and their agents are only in them.
 */
export function toTranscript(state: RunState, earlier: readonly RunState[] = []): TranscriptItem[] {
  if (state.status === 'idle') return [];
  const known = [...earlier, state].flatMap((run) => run.toolCalls.map((call) => ({ call, run })));
  return workItems(state, isUnderWay(state), { path: undefined, calls: knownCalls(known) });
}

/** Where the rows of a run, or of one of its agents, find what belongs to their tool calls. */
type Surroundings = {
  /** Missing for the run itself. */
  path: string | undefined;
  calls: KnownCalls;
};

type MessageContext = Surroundings & {
  variables: RunState['variables'];
  /** Steps still to be shown; each `step-start` part takes the first. */
  steps: StepState[];
  live: boolean;
};

function workItems(work: RunState | AgentState, live: boolean, surroundings: Surroundings): TranscriptItem[] {
  const items: TranscriptItem[] = [];
  const { variables } = work;
  const instructions = work.steps[0]?.request.instructions ?? '';
  if (instructions !== '') {
    items.push({
      key: 'system',
      kind: 'system',
      text: instructions,
      variables: Object.keys(variables).length,
    });
  }
  const answer = work.messages.at(-1);
  const answering = answer?.role === 'assistant' && work.steps.length > 0 ? answer : undefined;
  for (const message of work.messages) {
    if (message === answering) break;
    addMessage(items, message, { ...surroundings, variables, steps: [], live: false });
  }
  const steps = [...work.steps];
  if (answering !== undefined) addMessage(items, answering, { ...surroundings, variables, steps, live });
  // Steps that have said nothing yet have no part in the message.
  for (const step of steps) addStep(items, step, live);

  for (const [index, message] of work.warnings.entries()) {
    items.push({ key: `warning-${index}`, kind: 'warning', message });
  }
  if (work.status === 'error') items.push({ key: 'error', kind: 'error', error: work.error });
  // an agent stops with its run, which says so itself
  if (work.status === 'stopped' && !('path' in work)) items.push({ key: 'stopped', kind: 'stopped' });
  return items;
}

function addMessage(items: TranscriptItem[], message: UIMessage, context: MessageContext): void {
  if (message.role === 'user') {
    items.push({
      key: message.id,
      kind: 'user',
      text: textOf(message),
      files: filesOf(message),
      variables: context.variables,
    });
    return;
  }
  for (const [index, part] of message.parts.entries()) {
    const key = `${message.id}-${index}`;
    if (part.type === 'step-start') {
      const step = context.steps.shift();
      if (step !== undefined) addStep(items, step, context.live);
      continue;
    }
    const item = 'toolCallId' in part ? callItem(part, key, context) : partItem(part, key, context.live);
    if (item !== undefined) items.push(item);
  }
}

function partItem(part: Part, key: string, live: boolean): TranscriptItem | undefined {
  switch (part.type) {
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
      return { key, kind: 'file', file: part };
    default:
      return undefined;
  }
}

function callItem(
  part: Extract<Part, { toolCallId: string }>,
  key: string,
  { path, calls, live }: MessageContext,
): TranscriptItem {
  const known = takeCall(calls, part.toolCallId);
  if (known === undefined) return { key, kind: 'tool', call: callOfPart(part), live, request: undefined };
  const facts = { call: known.call, live, request: requestFor(known, path) };
  const agent = agentFor(known, path);
  if (agent === undefined) return { key, kind: 'tool', ...facts };
  return { key, kind: 'agent', agent, items: agentItems(agent, known.run), ...facts };
}

/** Of agents that have ended: nothing of theirs changes any more, so they need not be read at every frame. */
const endedItems = new WeakMap<AgentState, readonly TranscriptItem[]>();

function agentItems(agent: AgentState, run: KnownCall['run']): readonly TranscriptItem[] {
  const known = endedItems.get(agent);
  if (known !== undefined) return known;
  const { path, status, toolCalls } = agent;
  const calls = knownCalls(toolCalls.map((call) => ({ call, run })));
  const items = workItems(agent, status === 'running', { path, calls });
  const below = run.agents.filter((other) => other.path === path || other.path.startsWith(`${path}/`));
  if (below.every((other) => other.status !== 'running')) endedItems.set(agent, items);
  return items;
}

function addStep(items: TranscriptItem[], step: StepState, live: boolean): void {
  for (const { id, cause, text } of step.steered ?? []) items.push({ key: id, kind: 'steer', cause, text });
  const waiting = live && step.firstOutputAt === undefined;
  items.push({ key: `step-${step.step}`, kind: 'step', step, waiting });
}

/** By the parts of a message, so that a row whose message has not changed is not drawn anew. */
const filesIn = new WeakMap<UIMessage['parts'], readonly FilePart[]>();

function filesOf({ parts }: UIMessage): readonly FilePart[] {
  const files = filesIn.get(parts) ?? parts.filter((part) => part.type === 'file');
  filesIn.set(parts, files);
  return files;
}

function textOf(message: UIMessage): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
