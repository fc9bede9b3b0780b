import type { RunEvent } from '@cueline/core';

/**
 * A thought or a text of a step, in milliseconds since the run started. No end: it is still arriving, or was cut off.
 */
export type Block = { kind: 'thinking' | 'text'; id: string; start: number; end: number | undefined };

/**
 * Something that the log says about a step besides its answer. `end` is the end of a retry's wait; undefined if it
 * waits for a network.
 */
export type Note = {
  kind: 'retry' | 'broken' | 'nudge' | 'warning';
  label: string;
  detail: string;
  start: number;
  end: number | undefined;
};

/** What only the log knows about the times of a step. */
export type StepTimes = {
  /** Its number in the run or the agent. */
  step: number;
  hasEnded: boolean;
  blocks: Block[];
  notes: Note[];
  /** When the last part of the answer arrived. */
  lastOutputAt: number | undefined;
  /** Parts of the answer that are still arriving. */
  open: Set<string>;
  /** When the present attempt began. */
  attemptAt: number;
};

/** What only the log knows about the times of the run itself, or of one of its agents. */
export type WorkTimes = { steps: StepTimes[]; between: Note[]; start: number; end: number | undefined };

/** The times that a state does not have. */
export type LogTimes = {
  /** The run itself under '', agents under their paths; several if a path was used again. */
  works: Map<string, WorkTimes[]>;
  /** When the arguments of a call were complete, by {@link callKey}; several if a model used an id again. */
  inputEnds: Map<string, number[]>;
  /** When a call began to run, by {@link callKey}; several if it was interrupted and ran again. */
  starts: Map<string, number[]>;
  /** When the run continued after it had been interrupted. */
  resumes: number[];
  /** When an approval or a client tool's call was answered or withdrawn, by its id. */
  answers: Map<string, number>;
  /** When a page began to run a client tool's call, by its id. */
  claims: Map<string, number>;
};

/** The key of a call in {@link LogTimes}. */
export function callKey(agent: string | undefined, toolCallId: string): string {
  return `${agent ?? ''} ${toolCallId}`;
}

type Reading = { times: LogTimes; count: number; first: RunEvent | undefined; last: RunEvent | undefined };
const readings = new WeakMap<readonly RunEvent[], Reading>();

/** The times in the first `count` events of a log. Reads each event once, also of a log that grows. */
export function logTimes(log: readonly RunEvent[], count: number): LogTimes {
  let reading = readings.get(log);
  // a run that starts again writes into the same list
  const goesOn =
    reading !== undefined &&
    reading.count <= count &&
    reading.first === log[0] &&
    reading.last === log[reading.count - 1];
  if (reading === undefined || !goesOn) {
    readings.set(log, (reading = { times: noTimes(), count: 0, first: log[0], last: undefined }));
  }
  while (reading.count < Math.min(count, log.length)) {
    const event = log[reading.count]!;
    read(reading.times, event);
    reading.first ??= event;
    reading.last = event;
    reading.count += 1;
  }
  return reading.times;
}

function noTimes(): LogTimes {
  return {
    works: new Map(),
    inputEnds: new Map(),
    starts: new Map(),
    resumes: [],
    answers: new Map(),
    claims: new Map(),
  };
}

function read(times: LogTimes, event: RunEvent): void {
  const { agent, t } = event;
  switch (event.type) {
    case 'run-start':
    case 'agent-start':
      return addWork(times, agent, t);
    case 'approval-request':
      times.answers.delete(event.approvalId);
      return;
    case 'client-tool-request':
      times.answers.delete(event.clientCallId);
      times.claims.delete(event.clientCallId);
      return;
    case 'approval-response':
    case 'approval-withdraw':
      return setOnce(times.answers, event.approvalId, t);
    case 'client-tool-claim':
      return setOnce(times.claims, event.clientCallId, t);
    case 'client-tool-response':
    case 'client-tool-withdraw':
      return setOnce(times.answers, event.clientCallId, t);
    case 'tool-input-end': {
      addTo(times.inputEnds, callKey(agent, event.toolCallId), t);
      break;
    }
    case 'tool-start':
      addTo(times.starts, callKey(agent, event.toolCallId), t);
      break;
    case 'run-resume':
      times.resumes.push(t);
      break;
    default:
  }
  const work = times.works.get(agent ?? '')?.at(-1);
  if (work !== undefined) readWork(work, event);
}

function addWork({ works }: LogTimes, agent: string | undefined, start: number): void {
  const work: WorkTimes = { steps: [], between: [], start, end: undefined };
  addTo(works, agent ?? '', work);
}

function addTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const same = map.get(key);
  if (same === undefined) map.set(key, [value]);
  else same.push(value);
}

function setOnce(map: Map<string, number>, id: string, t: number): void {
  if (!map.has(id)) map.set(id, t);
}

function readWork(work: WorkTimes, event: RunEvent): void {
  const { t } = event;
  const step = work.steps.at(-1);
  switch (event.type) {
    case 'step-start':
      // a step that was interrupted and continues is one step
      if (step?.step === event.step && !step.hasEnded) step.attemptAt = t;
      else work.steps.push(startOf(event));
      return;
    case 'step-end':
      if (step === undefined) return;
      step.hasEnded = true;
      return readStep(step, event);
    case 'agent-end':
    case 'run-end':
      work.end = t;
      if (step !== undefined) endWait(step, t);
      return;
    case 'run-resume':
      work.end = undefined;
      return;
    case 'steer':
      work.between.push({ kind: 'nudge', label: 'Nudge', detail: event.text, start: t, end: t });
      return;
    case 'warning': {
      const notes = step?.notes ?? work.between;
      notes.push({ kind: 'warning', label: 'Warning', detail: event.message, start: t, end: t });
      return;
    }
    default:
      if (step !== undefined) readStep(step, event);
  }
}

function startOf({ step, t }: Extract<RunEvent, { type: 'step-start' }>): StepTimes {
  return {
    step,
    hasEnded: false,
    blocks: [],
    notes: [],
    lastOutputAt: undefined,
    open: new Set(),
    attemptAt: t,
  };
}

function readStep(step: StepTimes, event: RunEvent): void {
  const { t } = event;
  endWait(step, t);
  switch (event.type) {
    case 'text-start':
    case 'reasoning-start': {
      const kind = event.type === 'text-start' ? 'text' : 'thinking';
      step.blocks.push({ kind, id: event.id, start: t, end: undefined });
      break;
    }
    case 'text-end':
    case 'reasoning-end': {
      const kind = event.type === 'text-end' ? 'text' : 'thinking';
      const block = step.blocks.findLast((one) => one.kind === kind && one.id === event.id);
      if (block !== undefined) block.end ??= t;
      break;
    }
    case 'retry':
      return readRetry(step, event);
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-start':
    case 'tool-input-delta':
    case 'tool-input-end':
      break;
    default:
      return;
  }
  step.lastOutputAt = t;
  const part = `${event.type.slice(0, event.type.lastIndexOf('-'))} ${'id' in event ? event.id : event.toolCallId}`;
  if (event.type.endsWith('-start')) step.open.add(part);
  else if (event.type.endsWith('-end')) step.open.delete(part);
}

/** Ends the wait of the latest retry, which may end before the time that was announced. */
function endWait({ notes }: StepTimes, t: number): void {
  const waiting = notes.findLast(({ kind }) => kind === 'retry');
  if (waiting !== undefined && (waiting.end ?? t) >= t) waiting.end = t;
}

function readRetry(step: StepTimes, event: Extract<RunEvent, { type: 'retry' }>): void {
  const { t, error, attempt, maxAttempts, delayMs = 0, offline } = event;
  const detail = error.message;
  if (attempt === undefined) {
    // the answer so far is void
    step.notes.push({ kind: 'broken', label: 'Cut off', detail, start: step.attemptAt, end: t });
    step.blocks = [];
    step.open.clear();
    step.lastOutputAt = undefined;
  } else {
    const label = offline === true ? 'Offline' : `Attempt ${attempt} of ${maxAttempts ?? attempt}`;
    const end = offline === true ? undefined : t + delayMs;
    step.notes.push({ kind: 'retry', label, detail, start: t, end });
  }
  step.attemptAt = t;
}
