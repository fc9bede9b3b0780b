import type { AgentState, RunEvent, RunState, StepState, ToolCallState } from '@cueline/core';
import { allPending, type Pending } from '../state/pending.ts';
import { agentsBeside, createCallQueue } from '../transcript/calls/known-calls.ts';
import { groupBy } from '../ui/data/group-by.ts';
import { addCall, type CallContext } from './call-rows.ts';
import { logTimes, type LogTimes, type Note, type StepTimes, type WorkTimes } from './log-times.ts';
import type { Segment, TimelineRow } from './timeline-row.ts';

const known = new WeakMap<RunState, { turn: number; rows: readonly TimelineRow[] }>();

/** The rows of a turn's waterfall, from its state and its log. The same state has the same rows. */
export function buildRows(state: RunState, log: readonly RunEvent[], turn: number): readonly TimelineRow[] {
  const before = known.get(state);
  if (before?.turn === turn) return before.rows;
  const rows: TimelineRow[] = [];
  const times = logTimes(log, state.seq + 1);
  const isOver = log[state.seq]?.type === 'run-end';
  const agents = new Map<AgentState, WorkTimes | undefined>();
  const agentsByPath = groupBy(state.agents, ({ path }) => path);
  const pending = groupBy(allPending(state), ({ toolCallId }) => toolCallId);
  const positions = new Map(state.agents.map((agent, position) => [agent, position]));
  const builder: Builder = { rows, state, times, turn, agents, positions, pending, isOver };
  for (const [path, works] of times.works) {
    // an agent that starts again on the same path is the next one of it in the list
    const same = works.values();
    for (const agent of path === '' ? [] : (agentsByPath.get(path) ?? []))
      agents.set(agent, same.next().value);
  }
  addWork(builder, state, times.works.get('')?.at(-1), undefined, 1);
  if (state.status === 'error') {
    const { elapsed: start } = state;
    const facts = { key: 'error', kind: 'error', label: 'Failed', detail: state.error.message } as const;
    rows.push({ ...mark, ...facts, level: 1, start, end: start, failed: true, selection: undefined });
  }
  known.set(state, { turn, rows });
  return rows;
}

type Builder = {
  rows: TimelineRow[];
  state: RunState;
  times: LogTimes;
  turn: number;
  agents: ReadonlyMap<AgentState, WorkTimes | undefined>;
  positions: ReadonlyMap<AgentState, number>;
  pending: ReadonlyMap<string, readonly Pending[]>;
  isOver: boolean;
};

const mark = { segments: [], failed: false, hasChildren: false, isItself: false } as const;

/** Adds the steps of the run itself or of an agent, and the rows between them. */
function addWork(
  builder: Builder,
  work: RunState | AgentState,
  times: WorkTimes | undefined,
  path: string | undefined,
  level: number,
): void {
  const calls = groupBy(work.toolCalls, ({ step }) => step);
  const queue = createCallQueue(work.toolCalls.map((call) => ({ call, run: builder.state })));
  const key = 'path' in work ? keyOf(builder, work) : '';
  const parts: { start: number; add(): void }[] = work.steps.map((step, index) => ({
    start: step.startedAt,
    add: () => {
      const own = calls.get(index) ?? [];
      addStep(builder, { step, calls: own, path, level, work: times, key: `${key} step ${index}` }, index);
    },
  }));
  for (const [index, note] of (times?.between ?? []).entries()) {
    const within = { key: `${key} between ${index}`, level, selection: undefined };
    parts.push({ start: note.start, add: () => builder.rows.push(noteRow(note, within)) });
  }
  for (const agent of agentsBeside(builder.state, path, queue)) {
    const start = builder.agents.get(agent)?.start ?? agent.steps[0]?.startedAt ?? builder.state.elapsed;
    parts.push({ start, add: () => addAgent(builder, agent, level) });
  }
  for (const { add } of sorted(parts)) add();
}

/** The beginning of the keys of an agent's rows. Several agents of one run may have the same path. */
function keyOf({ positions }: Builder, agent: AgentState): string {
  return `${positions.get(agent)} ${agent.path}`;
}

/** Adds an agent that is not itself a tool's call, with its steps. */
function addAgent(builder: Builder, agent: AgentState, level: number): void {
  const times = builder.agents.get(agent);
  const start = times?.start ?? agent.steps[0]?.startedAt ?? 0;
  const end = endOf(builder, times, agent.steps.at(-1)?.finishedAt);
  const { path, name = 'agent' } = agent;
  const row = pushParent(builder.rows, {
    ...mark,
    key: `agent ${keyOf(builder, agent)}`,
    level,
    kind: 'agent',
    label: name,
    start,
    end,
    segments: [{ kind: agent.status === 'error' ? 'failed' : 'running', start, end }],
    failed: agent.status === 'error',
    selection: undefined,
  });
  addWork(builder, agent, times, path, level + 1);
  row.close();
}

/** The end of an agent: as the log has it, or that of the run. */
function endOf({ state, isOver }: Builder, times: WorkTimes | undefined, last?: number): number | undefined {
  return times?.end ?? (isOver ? (last ?? state.elapsed) : undefined);
}

type StepInTree = {
  step: StepState;
  calls: readonly ToolCallState[];
  path: string | undefined;
  level: number;
  work: WorkTimes | undefined;
  key: string;
};

function addStep(builder: Builder, { step, calls, path, level, work, key }: StepInTree, index: number): void {
  const { state, rows, turn } = builder;
  const times = work?.steps[index];
  const { startedAt: start } = step;
  const over = work?.end ?? (builder.isOver ? state.elapsed : undefined);
  const end = step.finishedAt ?? over;
  const selection = { kind: 'step', turn, agent: path, step: step.step } as const;
  const row = pushParent(rows, {
    ...mark,
    key,
    level,
    kind: 'step',
    label: `Step ${step.step + 1}`,
    start,
    end,
    segments: stepSegments({ step, times, end, hasCalls: calls.length > 0 }),
    failed: step.finishReason === 'error',
    selection,
    isItself: true,
  });
  const parts: { start: number; add(): void }[] = [];
  for (const [at, block] of (times?.blocks ?? []).entries()) {
    const blockEnd = block.end ?? end;
    const segments = [{ kind: block.kind, start: block.start, end: blockEnd }] as const;
    const label = block.kind === 'text' ? 'Text' : 'Thinking';
    const facts = { key: `${key} block ${at}`, kind: block.kind, label, selection, level: level + 1 };
    parts.push({
      start: block.start,
      add: () => rows.push({ ...mark, ...facts, start: block.start, end: blockEnd, segments }),
    });
  }
  for (const [at, note] of (times?.notes ?? []).entries()) {
    const within = { key: `${key} note ${at}`, level: level + 1, selection };
    parts.push({ start: note.start, add: () => rows.push(noteRow(note, within)) });
  }
  const context: CallContext = {
    ...builder,
    path,
    level: level + 1,
    end: over,
    addAgent: (agent) => addAgent(builder, agent, level + 2),
    addSteps: (agent) => addWork(builder, agent, builder.agents.get(agent), agent.path, level + 2),
  };
  for (const [at, call] of calls.entries()) {
    parts.push({ start: call.calledAt, add: () => addCall(context, call, `${key} call ${at}`) });
  }
  for (const { add } of sorted(parts)) add();
  row.close();
}

/** Time to the first token, generation, and what the step did after its answer. */
type StepSegmentsOptions = {
  step: StepState;
  times: StepTimes | undefined;
  end: number | undefined;
  hasCalls: boolean;
};

/** The time to the first token, the generation, and then the tools; without calls, the generation lasts to the end. */
function stepSegments({ step, times, end, hasCalls }: StepSegmentsOptions): Segment[] {
  const { startedAt: start, firstOutputAt } = step;
  if (firstOutputAt === undefined) return [{ kind: 'first-token', start, end }];
  const isGenerating = end === undefined && (times?.open.size ?? 0) > 0;
  const generated = isGenerating
    ? undefined
    : hasCalls
      ? Math.max(firstOutputAt, times?.lastOutputAt ?? end ?? firstOutputAt)
      : end;
  const segments: Segment[] = [
    { kind: 'first-token', start, end: firstOutputAt },
    { kind: 'generating', start: firstOutputAt, end: generated },
  ];
  if (hasCalls && generated !== undefined) segments.push({ kind: 'rest', start: generated, end });
  return segments;
}

function noteRow(note: Note, within: Pick<TimelineRow, 'key' | 'level' | 'selection'>): TimelineRow {
  const { kind, label, detail, start, end } = note;
  const segments =
    kind === 'retry' || kind === 'broken'
      ? [{ kind: kind === 'retry' ? 'retrying' : 'failed', start, end } as const]
      : [];
  return { ...mark, ...within, kind, label, detail, start, end, segments, failed: kind === 'broken' };
}

/** Adds a row that has children if rows are added before it is closed. */
function pushParent(rows: TimelineRow[], row: TimelineRow): { close(): void } {
  const index = rows.push(row) - 1;
  return {
    close() {
      if (rows.length > index + 1) rows[index] = { ...row, hasChildren: true };
    },
  };
}

function sorted<Part extends { start: number }>(parts: readonly Part[]): readonly Part[] {
  return parts.toSorted((one, other) => one.start - other.start);
}
