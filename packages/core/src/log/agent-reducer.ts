import { withoutUndefined } from '../base/without-undefined.ts';
import { setMember } from '../json/json-builder.ts';
import { feedReader } from '../json/partial-json.ts';
import type { RunEvent } from './events.ts';
import { applyToMessage } from './message.ts';
import { refreshInputs } from './refresh-inputs.ts';
import type { DraftProgress, StateDraft } from './state-draft.ts';
import type { RunStatus, SteerState, StepState, CommonFields } from './state.ts';
import { applyChange } from './step.ts';
import { applyToTasks } from './task-state.ts';
import { applyToToolCalls, closeApprovals, interruptCalls } from './tool-calls.ts';

type Phase = Extract<RunStatus, { status: 'running'; retrying?: undefined }>['phase'];

/** Reduces the events of one run or one agent. */
export type AgentReducer<Fields extends CommonFields> = {
  /** A copy that may be written to; objects in it are written to only after `writable`. */
  fields: Fields;
  writable<T extends object>(value: T): T;
  hasEnded(): boolean;
  /** `toolCallId` is the call of an answered or withdrawn approval. */
  apply(event: RunEvent, toolCallId?: string): void;
  /** Continues after an end. The prompt's definitions come again. */
  resume(): void;
  end(event: RunEnd): void;
  /** Returns the current state; `waiting` instead of running if `waits`. */
  snapshot(waits?: boolean): Fields & RunStatus;
};

type RunEnd = Pick<
  Extract<RunEvent, { type: 'run-end' }>,
  't' | 'outcome' | 'finishReason' | 'output' | 'error'
>;

/** The answer of a new run or agent: the id of its message, and `structured` if it is JSON. */
type Answer = Pick<DraftProgress, 'messageId' | 'structured'>;

/** The fields before the first event. */
export const emptyFields: CommonFields = {
  model: '',
  text: '',
  messages: [],
  toolCalls: [],
  tasks: [],
  variables: {},
  steps: [],
  usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
  warnings: [],
};

const progressOf = new WeakMap<object, DraftProgress>();

/** Continues a state that a snapshot returned, or starts one that writes `answer`. */
export function createAgentReducer<Fields extends CommonFields>(
  state: Fields & Partial<RunStatus>,
  answer?: Answer,
): AgentReducer<Fields> {
  const progress = copyProgress(progressOf.get(state));
  if (answer !== undefined) {
    Object.assign(progress, answer);
    progress.status = { status: 'running', phase: 'requesting' };
  }
  const fields = fieldsOf(state);
  /** Objects made since the last snapshot, which may be written to. */
  let owned = new Set<object>();

  function writable<T extends object>(value: T): T {
    if (owned.has(value)) return value;
    const copy = (Array.isArray(value) ? value.slice() : { ...value }) as T;
    owned.add(copy);
    return copy;
  }
  const draft: StateDraft = {
    fields,
    writable,
    progress,
    indexes: { calls: { key: 'toolCallId' }, parts: { key: 'toolCallId' } },
  };

  return {
    fields,
    writable,
    hasEnded: () => !['idle', 'running'].includes(progress.status.status),
    apply: (event, toolCallId) => apply(draft, event, toolCallId),
    resume() {
      progress.status = { status: 'running', phase: 'requesting' };
      progress.earlierTasks = new Map(fields.tasks.map((task) => [task.id, task]));
      fields.tasks = [];
      delete draft.indexes.tasks;
      fields.variables = {};
    },
    end(event) {
      // a waiting agent continues with the calls that it waits for
      if (event.outcome !== 'waiting') {
        interruptCalls(draft, event.t);
        closeApprovals(draft);
      }
      readAnswer(draft);
      const { output } = event;
      if (output !== undefined && progress.structured) fields.object = output;
      progress.status = endStatus(event, output === undefined ? fields.text : output);
    },
    snapshot(waits = false) {
      refreshInputs(progress);
      readAnswer(draft);
      const { status } = progress;
      const state = {
        ...fields,
        ...(waits && status.status === 'running' ? { status: 'waiting' as const } : status),
      };
      progressOf.set(state, copyProgress(progress));
      owned = new Set();
      return state;
    },
  };
}

function apply(draft: StateDraft, event: RunEvent, toolCallId?: string): void {
  const { fields, writable, progress } = draft;
  switch (event.type) {
    case 'variable-set': {
      const { name, kind, value } = event;
      setMember((fields.variables = writable(fields.variables)), name, { kind, value });
      return;
    }
    case 'variable-unset':
      if (Object.hasOwn(fields.variables, event.name)) {
        delete (fields.variables = writable(fields.variables))[event.name];
      }
      return;
    case 'step-start':
      beginStep(draft, event);
      break;
    case 'text-start':
      running(progress, 'text');
      if (event.edited) changeStep(draft, { edited: true });
      break;
    case 'text-delta':
      firstOutput(draft, event.t);
      running(progress, 'text');
      fields.text = progress.stepHasText ? fields.text + event.text : event.text;
      feedAnswer(draft, event.text);
      progress.stepHasText = true;
      break;
    case 'reasoning-delta':
      firstOutput(draft, event.t);
      running(progress, 'reasoning');
      break;
    case 'tool-input-start':
      firstOutput(draft, event.t);
      running(progress, 'tool-input');
      break;
    case 'tool-input-end':
      firstOutput(draft, event.t);
      break;
    case 'tool-start':
      running(progress, 'tools');
      break;
    case 'task-add':
    case 'task-update':
    case 'task-move':
    case 'task-remove':
      return applyToTasks(draft, event);
    case 'steer':
      addSteering(draft, event);
      break;
    case 'retry':
      // nothing of a retried call has been visible
      if (isWaiting(progress, event)) return;
      voidAnswer(draft);
      break;
    case 'warning':
      (fields.warnings = writable(fields.warnings)).push(event.message);
      return;
    case 'model-call-end':
      changeStep(draft, { usage: event.usage });
      break;
    case 'step-end':
      endStep(draft, event);
      break;
    default:
  }
  applyToToolCalls(draft, event, toolCallId);
  applyToMessage(draft, event);
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

function beginStep({ fields, writable, progress }: StateDraft, event: EventOf<'step-start'>): void {
  fields.steps = writable(fields.steps);
  const last = fields.steps.at(-1);
  // the model is called again, because the process of the earlier call is gone
  if (last?.step === event.step && last.finishedAt === undefined) fields.steps.pop();
  fields.steps.push({
    step: event.step,
    request: applyChange(last?.request, event.request),
    startedAt: event.t,
    ...withoutUndefined({ steered: progress.steered }),
  });
  progress.steered = undefined;
  progress.earlierTasks = new Map();
  progress.stepHasText = false;
  progress.earlierText = fields.text;
  running(progress, 'requesting');
}

function endStep(draft: StateDraft, event: EventOf<'step-end'>): void {
  const { finishReason, providerMetadata, t: finishedAt } = event;
  // the log of a durable run has them since the answer was whole
  const usage = draft.fields.steps.at(-1)?.usage ?? event.usage;
  changeStep(draft, withoutUndefined({ finishedAt, finishReason, usage, providerMetadata }));
}

/** Returns the step that is being written, as a copy that may be written to. */
function currentStep({ fields, writable }: StateDraft): StepState | undefined {
  const step = fields.steps.at(-1);
  if (step === undefined) return undefined;
  const steps = (fields.steps = writable(fields.steps));
  return (steps[steps.length - 1] = writable(step));
}

function changeStep(draft: StateDraft, change: Partial<StepState>): void {
  const step = currentStep(draft);
  if (step !== undefined) Object.assign(step, change);
}

function firstOutput(draft: StateDraft, t: number): void {
  if (draft.fields.steps.at(-1)?.firstOutputAt === undefined) changeStep(draft, { firstOutputAt: t });
}

function running(progress: DraftProgress, phase: Phase): void {
  const { status } = progress;
  if (status.status === 'running' && status.phase !== phase) progress.status = { status: 'running', phase };
}

/** Adds a message to the model to its step. The AI SDK emits it after the step's start, before the rest. */
function addSteering(draft: StateDraft, { id, cause, text }: EventOf<'steer'>): void {
  const steering: SteerState = { id, cause, text };
  const { fields, writable, progress } = draft;
  const step = fields.steps.at(-1)?.finishedAt === undefined ? currentStep(draft) : undefined;
  if (step === undefined) progress.steered = [...(progress.steered ?? []), steering];
  else (step.steered = writable(step.steered ?? [])).push(steering);
}

/** Shows the wait before a retried call. False for an answer that was cut off, which has no next attempt. */
function isWaiting(progress: DraftProgress, event: EventOf<'retry'>): boolean {
  const { error, attempt, maxAttempts = 0, delayMs = 0, offline, t } = event;
  if (attempt === undefined) return false;
  const retrying = { error, attempt, maxAttempts, delayMs, at: t + delayMs };
  progress.status = { status: 'running', phase: offline === true ? 'offline' : 'retrying', retrying };
  return true;
}

/** Removes the answer of the current step. */
function voidAnswer(draft: StateDraft): void {
  const { fields, progress } = draft;
  fields.text = progress.earlierText;
  progress.stepHasText = false;
  feedAnswer(draft, '');
  const step = currentStep(draft);
  if (step !== undefined) {
    delete step.firstOutputAt;
    delete step.edited;
  }
  running(progress, 'requesting');
}

/** Reads the answer after one more piece, if it is JSON. An answer that restarts has another reader. */
function feedAnswer({ fields, progress }: StateDraft, piece: string): void {
  if (!progress.structured) return;
  progress.answer = feedReader(progress.stepHasText ? progress.answer : undefined, fields.text, piece);
  progress.answerIsStale = true;
}

/**
 * Updates `object`. A reader may be shared with other states and be ahead of this one, so it is asked only if this
 * one has fed it.
 */
function readAnswer({ fields, progress }: StateDraft): void {
  if (!progress.answerIsStale) return;
  progress.answerIsStale = false;
  const object = progress.answer?.value();
  if (object === undefined) delete fields.object;
  else fields.object = object;
}

/** Returns a copy of a state without the fields of its status. */
function fieldsOf<Fields extends CommonFields>(state: Fields & Partial<RunStatus>): Fields {
  const {
    status: _status,
    phase: _phase,
    retrying: _retrying,
    finishReason: _reason,
    error: _error,
    result: _result,
    ...fields
  } = state as Fields & Record<string, unknown>;
  return fields as unknown as Fields;
}

function endStatus({ outcome, error, finishReason = 'other' }: RunEnd, result: unknown): RunStatus {
  if (outcome === 'done') return { status: outcome, finishReason, result };
  if (outcome !== 'error') return { status: outcome };
  return {
    status: outcome,
    error: error ?? { code: 'provider_error', message: 'The run ended unexpectedly. Start it again.' },
  };
}

/** Returns a copy of `known`, or the progress before the first event. */
function copyProgress(known?: DraftProgress): DraftProgress {
  return {
    messageId: '',
    earlierTasks: new Map(),
    earlierText: '',
    status: { status: 'idle' },
    ...known,
    open: new Map(known?.open),
    // states share the readers of streamed arguments; a reader that is behind is created anew
    inputs: new Map(known?.inputs),
    stale: new Map(),
  };
}
