import { withoutUndefined } from '../base/without-undefined.ts';
import type { DraftProgress, StateDraft } from './state-draft.ts';
import type { RunEvent } from './events.ts';
import { applyToMessage } from './message.ts';
import { setMember } from '../json/json-builder.ts';
import { feedReader } from '../json/partial-json.ts';
import { refreshInputs } from './refresh-inputs.ts';
import type { RunStatus, SteerState, StepState, CommonFacts } from './state.ts';
import { applyChange } from './step.ts';
import { applyToTasks } from './task-state.ts';
import { applyToToolCalls, closeApprovals, interruptCalls } from './tool-calls.ts';

type Phase = Extract<RunStatus, { status: 'running'; retrying?: undefined }>['phase'];

/** Reduces the events of one run or one agent. */
export type AgentReducer<Facts extends CommonFacts> = {
  /** A copy that may be written to; objects in it are written to only after `writable`. */
  facts: Facts;
  writable<T extends object>(value: T): T;
  hasEnded(): boolean;
  /** `toolCallId` is the call of an answered or withdrawn approval. */
  apply(event: RunEvent, toolCallId?: string): void;
  /** Continues after an end. The prompt's definitions come again. */
  resume(): void;
  end(event: RunEnd): void;
  /** Returns the current state; `waiting` instead of running if `waits`. */
  snapshot(waits?: boolean): Facts & RunStatus;
};

type RunEnd = Pick<
  Extract<RunEvent, { type: 'run-end' }>,
  't' | 'outcome' | 'finishReason' | 'output' | 'error'
>;

/** The answer of a new run or agent: the id of its message, and `structured` if it is JSON. */
type Answer = Pick<DraftProgress, 'messageId' | 'structured'>;

/** The facts before the first event. */
export const emptyFacts: CommonFacts = {
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
export function createAgentReducer<Facts extends CommonFacts>(
  state: Facts & Partial<RunStatus>,
  answer?: Answer,
): AgentReducer<Facts> {
  const progress = copyProgress(progressOf.get(state));
  if (answer !== undefined) {
    Object.assign(progress, answer);
    progress.status = { status: 'running', phase: 'requesting' };
  }
  const facts = factsOf(state);
  /** Objects made since the last snapshot, which may be written to. */
  let owned = new Set<object>();

  function writable<T extends object>(value: T): T {
    if (owned.has(value)) return value;
    const copy = (Array.isArray(value) ? value.slice() : { ...value }) as T;
    owned.add(copy);
    return copy;
  }
  const draft: StateDraft = {
    facts,
    writable,
    progress,
    indexes: { calls: { key: 'toolCallId' }, parts: { key: 'toolCallId' } },
  };

  return {
    facts,
    writable,
    hasEnded: () => !['idle', 'running'].includes(progress.status.status),
    apply: (event, toolCallId) => apply(draft, event, toolCallId),
    resume() {
      progress.status = { status: 'running', phase: 'requesting' };
      progress.earlierTasks = new Map(facts.tasks.map((task) => [task.id, task]));
      facts.tasks = [];
      delete draft.indexes.tasks;
      facts.variables = {};
    },
    end(event) {
      // a waiting agent continues with the calls that it waits for
      if (event.outcome !== 'waiting') {
        interruptCalls(draft, event.t);
        closeApprovals(draft);
      }
      readAnswer(draft);
      const { output } = event;
      if (output !== undefined && progress.structured) facts.object = output;
      progress.status = endStatus(event, output === undefined ? facts.text : output);
    },
    snapshot(waits = false) {
      refreshInputs(progress);
      readAnswer(draft);
      const { status } = progress;
      const state = {
        ...facts,
        ...(waits && status.status === 'running' ? { status: 'waiting' as const } : status),
      };
      progressOf.set(state, copyProgress(progress));
      owned = new Set();
      return state;
    },
  };
}

function apply(draft: StateDraft, event: RunEvent, toolCallId?: string): void {
  const { facts, writable, progress } = draft;
  switch (event.type) {
    case 'variable-set': {
      const { name, kind, value } = event;
      setMember((facts.variables = writable(facts.variables)), name, { kind, value });
      return;
    }
    case 'variable-unset':
      if (Object.hasOwn(facts.variables, event.name)) {
        delete (facts.variables = writable(facts.variables))[event.name];
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
      facts.text = progress.stepHasText ? facts.text + event.text : event.text;
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
      (facts.warnings = writable(facts.warnings)).push(event.message);
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

function beginStep({ facts, writable, progress }: StateDraft, event: EventOf<'step-start'>): void {
  facts.steps = writable(facts.steps);
  const last = facts.steps.at(-1);
  // the model is called again, because the process of the earlier call is gone
  if (last?.step === event.step && last.finishedAt === undefined) facts.steps.pop();
  facts.steps.push({
    step: event.step,
    request: applyChange(last?.request, event.request),
    startedAt: event.t,
    ...withoutUndefined({ steered: progress.steered }),
  });
  progress.steered = undefined;
  progress.earlierTasks = new Map();
  progress.stepHasText = false;
  progress.earlierText = facts.text;
  running(progress, 'requesting');
}

function endStep(draft: StateDraft, event: EventOf<'step-end'>): void {
  const { finishReason, providerMetadata, t: finishedAt } = event;
  // the log of a durable run has them since the answer was whole
  const usage = draft.facts.steps.at(-1)?.usage ?? event.usage;
  changeStep(draft, withoutUndefined({ finishedAt, finishReason, usage, providerMetadata }));
}

/** Returns the step that is being written, as a copy that may be written to. */
function currentStep({ facts, writable }: StateDraft): StepState | undefined {
  const step = facts.steps.at(-1);
  if (step === undefined) return undefined;
  const steps = (facts.steps = writable(facts.steps));
  return (steps[steps.length - 1] = writable(step));
}

function changeStep(draft: StateDraft, change: Partial<StepState>): void {
  const step = currentStep(draft);
  if (step !== undefined) Object.assign(step, change);
}

function firstOutput(draft: StateDraft, t: number): void {
  if (draft.facts.steps.at(-1)?.firstOutputAt === undefined) changeStep(draft, { firstOutputAt: t });
}

function running(progress: DraftProgress, phase: Phase): void {
  const { status } = progress;
  if (status.status === 'running' && status.phase !== phase) progress.status = { status: 'running', phase };
}

/** Adds a message to the model to its step. The AI SDK emits it after the step's start, before the rest. */
function addSteering(draft: StateDraft, { id, cause, text }: EventOf<'steer'>): void {
  const steering: SteerState = { id, cause, text };
  const { facts, writable, progress } = draft;
  const step = facts.steps.at(-1)?.finishedAt === undefined ? currentStep(draft) : undefined;
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
  const { facts, progress } = draft;
  facts.text = progress.earlierText;
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
function feedAnswer({ facts, progress }: StateDraft, piece: string): void {
  if (!progress.structured) return;
  progress.answer = feedReader(progress.stepHasText ? progress.answer : undefined, facts.text, piece);
  progress.answerIsStale = true;
}

/**
 * Updates `object`. A reader may be shared with other states and be ahead of this one, so it is asked only if this
 * one has fed it.
 */
function readAnswer({ facts, progress }: StateDraft): void {
  if (!progress.answerIsStale) return;
  progress.answerIsStale = false;
  const object = progress.answer?.value();
  if (object === undefined) delete facts.object;
  else facts.object = object;
}

/** Returns a copy of a state without the fields of its status. */
function factsOf<Facts extends CommonFacts>(state: Facts & Partial<RunStatus>): Facts {
  const {
    status: _status,
    phase: _phase,
    retrying: _retrying,
    finishReason: _reason,
    error: _error,
    result: _result,
    ...facts
  } = state as Facts & Record<string, unknown>;
  return facts as unknown as Facts;
}

function endStatus(event: RunEnd, result: unknown): RunStatus {
  switch (event.outcome) {
    case 'done':
      return { status: 'done', finishReason: event.finishReason ?? 'other', result };
    case 'error':
      return {
        status: 'error',
        error: event.error ?? {
          code: 'provider_error',
          message: 'The run failed with an unspecified error.',
        },
      };
    default:
      return { status: event.outcome };
  }
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
