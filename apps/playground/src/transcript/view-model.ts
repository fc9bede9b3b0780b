import {
  isInProgress,
  type AgentState,
  type RunState,
  type StepState,
  type ToolCallState,
} from '@cueline/core';
import type { UIMessage } from 'ai';
import type { Turn } from '../state/store.ts';
import {
  agentsBeside,
  agentsOf,
  callOfPart,
  createCallQueue,
  pendingFor,
  nextCall,
  type KnownCall,
  type CallQueue,
} from './calls/known-calls.ts';
import { completionOf, isCutOff, kindOf, resultOf } from './outcome.ts';
import { filesOf, partItem, textOf } from './part-items.ts';
import type { InnerItem, TranscriptItem } from './transcript-item.ts';

type Part = UIMessage['parts'][number];

const CUT_OFF = 'The answer was cut off at the token limit. Raise maxOutputTokens, or ask for less at once.';

/**
 * The rows of a run, in the order in which they happened. `earlier` are the earlier turns of the same conversation:
 * `state` has their messages, but only they have their steps, the times of their tool calls and their agents. `now` is
 * false for a moment of the past, in which nothing changes any more.
 */
export function toTranscript(
  state: RunState,
  earlier: readonly Turn[] = [],
  now: boolean = true,
): TranscriptItem[] {
  if (state.status === 'idle') return [];
  const turns = earlier.map((turn) => turn.state);
  const known = [...turns, state].flatMap((run, turn) => run.toolCalls.map((call) => ({ call, run, turn })));
  const items = workItems(state, now && isInProgress(state), {
    path: undefined,
    run: state,
    turn: turns.length,
    earlier: turns,
    calls: createCallQueue(known),
  });
  if (now && state.status === 'running' && state.seq < 0) items.push({ key: 'starting', kind: 'starting' });
  return items;
}

/** What the rows of a run, or of one of its agents, need about their tool calls. */
type RowContext = {
  /** Missing for the run itself. */
  path: string | undefined;
  run: KnownCall['run'];
  turn: number;
  earlier: readonly RunState[];
  calls: CallQueue;
};

type MessageContext = Pick<RowContext, 'path' | 'calls' | 'turn'> & {
  variables: RunState['variables'];
  /**
   * The steps that wrote the message, and how many of them have been shown; each `step-start` part is the next one.
   */
  steps: readonly StepState[];
  shown: number;
  /** The calls that the steps made. */
  made: readonly ToolCallState[];
  /** Agents that answer no call, to be shown before the step that followed them. */
  beside: InnerItem[];
  status: Pick<RunState, 'phase' | 'retrying'>;
  live: boolean;
};

function workItems(work: RunState | AgentState, live: boolean, surroundings: RowContext): TranscriptItem[] {
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
  const { path, run, turn, earlier, calls } = surroundings;
  const context = { path, calls, variables, status: work };
  for (const message of work.messages) {
    if (message === answering) break;
    const past = earlier.findIndex(({ messages }) => messages.at(-1)?.id === message.id);
    const before = earlier[past];
    const beside =
      before === undefined ? [] : besideItems(before, { path: undefined, calls, turn: past, live: false });
    const { steps = [], toolCalls: made = [] } = before ?? {};
    addMessage(items, message, { ...context, turn: past, steps, shown: 0, made, beside, live: false });
    items.push(...beside);
  }
  const beside = besideItems(run, { path, calls, turn, live });
  const present = { turn, steps: work.steps, shown: 0, made: work.toolCalls, beside, live };
  const now = { ...context, ...present };
  if (answering !== undefined) addMessage(items, answering, now);
  // Steps without any output yet have no part in the message.
  while (now.shown < now.steps.length) addStep(items, now);
  items.push(...beside);
  const result = resultOf(work);
  if (result !== undefined) items.push({ key: 'result', kind: 'result', value: result });

  for (const [index, message] of work.warnings.entries()) {
    items.push({ key: `warning-${index}`, kind: 'warning', message });
  }
  if (isCutOff(work)) items.push({ key: 'cut-off', kind: 'warning', message: CUT_OFF });
  if (work.status === 'error') items.push({ key: 'error', kind: 'error', error: work.error });
  // an agent stops with its run, and the run's own row says so
  if (work.status === 'stopped' && !('path' in work)) items.push({ key: 'stopped', kind: 'stopped' });
  if (work.status === 'waiting' && !live) items.push({ key: 'suspended', kind: 'suspended' });
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
      addStep(items, context);
      continue;
    }
    const item = 'toolCallId' in part ? callItem(part, key, context) : partItem(part, key, context.live);
    if (item !== undefined) items.push(item);
  }
}

function callItem(
  part: Extract<Part, { toolCallId: string }>,
  key: string,
  { path, calls, live, turn }: MessageContext,
): TranscriptItem {
  const known = nextCall(calls, part.toolCallId);
  if (known === undefined) {
    const unknown = { turn: undefined, path, live, pending: undefined };
    return { key, kind: 'tool', call: callOfPart(part), ...unknown, inner: none };
  }
  const completion = completionOf(known.call);
  if (completion !== undefined) return { key, kind: 'complete', ...completion };
  const facts = { call: known.call, turn, path, live, pending: pendingFor(known, path) };
  const { own, inner } = agentsOf(known, path);
  if (own === undefined) return { key, kind: 'tool', ...facts, inner: innerItems(inner, known, turn, live) };
  const items = agentItems(own, known.run, turn, live);
  return {
    key,
    kind: 'agent',
    agent: own,
    items: inner.length === 0 ? items : [...innerItems(inner, known, turn, live), ...items],
    ...facts,
  };
}

const none: readonly InnerItem[] = [];

/** Finished calls whose agents have finished, too: their rows need not be drawn at every frame. */
const endedInner = new WeakMap<ToolCallState, readonly InnerItem[]>();

function innerItems(
  agents: readonly AgentState[],
  { call, run }: KnownCall,
  turn: number,
  live: boolean,
): readonly InnerItem[] {
  if (agents.length === 0) return none;
  const known = endedInner.get(call);
  if (known !== undefined) return known;
  const variant = agents.length === 1 ? 'inside' : 'line';
  const items = agents.map((agent) => innerItem(agent, run, { turn, variant, live }));
  const isOver = call.finishedAt !== undefined && agents.every(({ status }) => status !== 'running');
  if (isOver) endedInner.set(call, items);
  return items;
}

function innerItem(
  agent: AgentState,
  run: KnownCall['run'],
  { turn, variant, live }: Pick<InnerItem, 'turn' | 'variant' | 'live'>,
): InnerItem {
  return {
    // each run of a conversation has its own agents, and several agents of one run may have the same path
    key: `${run.runId} ${run.agents.indexOf(agent)} ${agent.path}`,
    kind: 'inner',
    agent,
    variant,
    turn,
    live: live && agent.status === 'running',
    items: agentItems(agent, run, turn, live),
  };
}

/** The agents that answer no call, such as those that summarize a session. */
function besideItems(
  run: KnownCall['run'],
  { path, calls, turn, live }: Pick<MessageContext, 'path' | 'calls' | 'turn' | 'live'>,
): InnerItem[] {
  return agentsBeside(run, path, calls).map((agent) => {
    if (agent.name !== 'summarize') return innerItem(agent, run, { turn, variant: 'card', live });
    const item = innerItem(agent, run, { turn, variant: 'summary', live });
    return { ...item, items: summaryItems(item.items) };
  });
}

const itemsOfSummaries = new WeakMap<readonly TranscriptItem[], readonly TranscriptItem[]>();

/** The rows of a summary, without the conversation that it was given. */
function summaryItems(items: readonly TranscriptItem[]): readonly TranscriptItem[] {
  const known = itemsOfSummaries.get(items);
  if (known !== undefined) return known;
  const rows = items.map((item) =>
    item.kind === 'user' ? { key: item.key, kind: 'given' as const, text: item.text } : item,
  );
  itemsOfSummaries.set(items, rows);
  return rows;
}

/** Rows of finished agents: nothing in them changes any more, so they need not be computed at every frame. */
const endedItems = new WeakMap<AgentState, readonly TranscriptItem[]>();

function agentItems(
  agent: AgentState,
  run: KnownCall['run'],
  turn: number,
  live: boolean,
): readonly TranscriptItem[] {
  const known = endedItems.get(agent);
  if (known !== undefined) return known;
  const { path, status, toolCalls } = agent;
  const calls = createCallQueue(toolCalls.map((call) => ({ call, run })));
  const items = workItems(agent, live && status === 'running', { path, run, turn, earlier: [], calls });
  const prefix = `${path}/`;
  const isBelow = (other: AgentState): boolean => other.path === path || other.path.startsWith(prefix);
  if (!run.agents.some((other) => other.status === 'running' && isBelow(other))) endedItems.set(agent, items);
  return items;
}

/** Shows the next step, and before it the rows between it and the step before. */
function addStep(items: TranscriptItem[], context: MessageContext): void {
  const { steps, beside, live } = context;
  const before = steps[context.shown - 1];
  const step = steps[context.shown];
  if (step === undefined) return;
  context.shown += 1;
  while (beside[0] !== undefined && startOf(beside[0]) <= step.startedAt) items.push(beside.shift()!);
  for (const { id, cause, text } of step.steered ?? []) {
    items.push({ key: id, kind: 'steer', cause, text, after: kindOf(before, context.made) });
  }
  const waiting = live && step.firstOutputAt === undefined;
  const { phase, retrying } = context.status;
  items.push({
    key: `step-${context.turn}-${step.step}`,
    kind: 'step',
    step,
    turn: context.turn,
    path: context.path,
    waiting,
    retrying: waiting ? retrying : undefined,
    offline: waiting && phase === 'offline',
  });
}

function startOf({ agent }: InnerItem): number {
  return agent.steps[0]?.startedAt ?? Infinity;
}
