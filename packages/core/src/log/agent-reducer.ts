import type { RunEvent } from './events.ts';
import { applyToMessage, type MessageProgress } from './message.ts';
import { setMember } from '../json/open-json.ts';
import { createPartialJson, type PartialJson } from '../json/partial-json.ts';
import { readInputs } from './read-inputs.ts';
import type { Part } from './own-message.ts';
import type { RunStatus, SteerState, StepState, TaskState, ToolCallState, CommonFacts } from './state.ts';
import { addUsage, applyChange } from './step.ts';
import type { IdIndex } from './id-index.ts';
import { applyToTasks } from './task-state.ts';
import { closeApprovals } from './tool-part.ts';
import { applyToCalls, interruptCalls } from './tool-calls.ts';

type Phase = Extract<RunStatus, { status: 'running'; retrying?: undefined }>['phase'];

/** What has to be remembered between two events besides the state itself. */
type DraftProgress = MessageProgress & {
  /** What the model was told since the last step ended; the next one will have it. */
  steered: SteerState[];
  /** Reads the answer while it arrives, where it is to be JSON. */
  answer?: PartialJson;
  /** True where the answer has gone on since it was last looked at. */
  answerIsStale: boolean;
  /** How the tasks stood before the run went on, which says them anew before its first step. */
  earlierTasks: ReadonlyMap<string, TaskState>;
  /** The text as it was before the current step. */
  earlierText: string;
  /** True where the answer is to be JSON. */
  structured: boolean;
  /** How the work stands; it is running also while the state says that it waits. */
  status: RunStatus;
};

/** The facts while they are written. `own` makes a copy that may be changed, once between two snapshots. */
export type StateDraft = {
  facts: CommonFacts;
  own<T extends object>(value: T): T;
  progress: DraftProgress;
  /** Where things stand in lists that may be long. */
  places: {
    calls: IdIndex<ToolCallState>;
    /** The parts of the message that is written. */
    parts: IdIndex<Part & { toolCallId?: string }>;
    tasks?: Map<string, number>;
    drift?: number;
  };
};

/** One run or one agent while its events come. */
export type AgentReducer<Facts extends CommonFacts> = {
  /** A copy that may be written to; what stands in it is written to only after `own`. */
  facts: Facts;
  own<T extends object>(value: T): T;
  hasEnded(): boolean;
  /** `toolCallId` is the call that the answer to a request, or its withdrawal, is about. */
  apply(event: RunEvent, toolCallId?: string): void;
  /** Goes on after an end: what the prompt defines is said anew. */
  resume(): void;
  end(event: RunEnd): void;
  /** What has come of it so far; `waiting` instead of running where it waits for an answer. */
  snapshot(waits?: boolean): Facts & RunStatus;
};

type RunEnd = Pick<
  Extract<RunEvent, { type: 'run-end' }>,
  't' | 'outcome' | 'finishReason' | 'output' | 'error'
>;

/** What a run or an agent that begins will write: the message with this id, and JSON where `structured` says so. */
type Answer = { messageId: string; structured: boolean };

/** Work that has not begun. */
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

const noProgress: DraftProgress = {
  messageId: '',
  open: new Map(),
  inputs: new Map(),
  stale: new Map(),
  stepPlace: undefined,
  stepHasText: false,
  steered: [],
  answerIsStale: false,
  earlierTasks: new Map(),
  earlierText: '',
  structured: false,
  status: { status: 'idle' },
};

const progressOf = new WeakMap<object, DraftProgress>();

/** Goes on with a state that a snapshot gave, or begins one that will give `answer`. */
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

  function own<T extends object>(value: T): T {
    if (owned.has(value)) return value;
    const copy = (Array.isArray(value) ? value.slice() : { ...value }) as T;
    owned.add(copy);
    return copy;
  }
  const draft: StateDraft = {
    facts,
    own,
    progress,
    places: {
      calls: { key: 'toolCallId' },
      parts: { key: 'toolCallId' },
    },
  };

  function currentStep(): StepState | undefined {
    const step = facts.steps.at(-1);
    if (step === undefined) return undefined;
    const steps = (facts.steps = own(facts.steps));
    return (steps[steps.length - 1] = own(step));
  }
  function firstOutput(t: number): void {
    if (facts.steps.at(-1)?.firstOutputAt !== undefined) return;
    const step = currentStep();
    if (step !== undefined) step.firstOutputAt = t;
  }
  function running(phase: Phase): void {
    const { status } = progress;
    if (status.status === 'running' && status.phase !== phase) progress.status = { status: 'running', phase };
  }

  /** The AI SDK says what a step was told once the step has begun, before anything else of it. */
  function steered(said: SteerState): void {
    const last = facts.steps.at(-1);
    const step = last?.finishedAt === undefined ? currentStep() : undefined;
    if (step === undefined) progress.steered.push(said);
    else (step.steered = own(step.steered ?? [])).push(said);
  }

  /** A reader may be shared with other states and be ahead of this one, so it is asked only where this one fed it. */
  function readAnswer(): void {
    if (!progress.answerIsStale) return;
    progress.answerIsStale = false;
    const object = progress.answer?.value();
    if (object === undefined) delete facts.object;
    else facts.object = object;
  }

  const hasEnded = (): boolean => progress.status.status !== 'idle' && progress.status.status !== 'running';

  function apply(event: RunEvent, toolCallId?: string): void {
    switch (event.type) {
      case 'variable-set':
        setMember((facts.variables = own(facts.variables)), event.name, {
          kind: event.kind,
          value: event.value,
        });
        return;
      case 'variable-unset':
        if (Object.hasOwn(facts.variables, event.name)) {
          delete (facts.variables = own(facts.variables))[event.name];
        }
        return;
      case 'step-start':
        (facts.steps = own(facts.steps)).push({
          step: event.step,
          request: applyChange(facts.steps.at(-1)?.request, event.request),
          startedAt: event.t,
          ...(progress.steered.length === 0 ? {} : { steered: progress.steered }),
        });
        progress.steered = [];
        progress.earlierTasks = noProgress.earlierTasks;
        progress.stepHasText = false;
        progress.earlierText = facts.text;
        running('requesting');
        break;
      case 'text-start':
        running('text');
        break;
      case 'text-delta':
        firstOutput(event.t);
        running('text');
        facts.text = progress.stepHasText ? facts.text + event.text : event.text;
        if (progress.structured) {
          progress.answer = readOn(progress, facts.text, event.text);
          progress.answerIsStale = true;
        }
        progress.stepHasText = true;
        break;
      case 'reasoning-delta':
        firstOutput(event.t);
        running('reasoning');
        break;
      case 'tool-input-start':
        firstOutput(event.t);
        running('tool-input');
        break;
      case 'tool-input-end':
        firstOutput(event.t);
        break;
      case 'tool-start':
        running('tools');
        break;
      case 'task-add':
      case 'task-update':
      case 'task-move':
      case 'task-remove':
        return applyToTasks(draft, event);
      case 'steer':
        steered({ id: event.id, cause: event.cause, text: event.text });
        break;
      case 'retry': {
        const { error, attempt, maxAttempts, delayMs } = event;
        // nothing of a call that is tried by itself again has been seen
        if (attempt !== undefined && maxAttempts !== undefined && delayMs !== undefined) {
          const retrying = { error, attempt, maxAttempts, delayMs, at: event.t + delayMs };
          progress.status = {
            status: 'running',
            phase: event.offline === true ? 'offline' : 'retrying',
            retrying,
          };
          return;
        }
        facts.text = progress.earlierText;
        progress.stepHasText = false;
        if (progress.structured) {
          progress.answer = readOn(progress, facts.text, '');
          progress.answerIsStale = true;
        }
        const step = currentStep();
        if (step !== undefined) delete step.firstOutputAt;
        running('requesting');
        break;
      }
      case 'warning':
        (facts.warnings = own(facts.warnings)).push(event.message);
        return;
      case 'step-end': {
        facts.usage = addUsage(facts.usage, event.usage);
        const step = currentStep();
        if (step === undefined) break;
        step.finishedAt = event.t;
        step.finishReason = event.finishReason;
        step.usage = event.usage;
        if (event.providerMetadata !== undefined) step.providerMetadata = event.providerMetadata;
        break;
      }
      default:
    }
    applyToCalls(draft, event);
    applyToMessage(draft, event, toolCallId);
  }

  return {
    facts,
    own,
    hasEnded,
    apply,
    resume() {
      progress.status = { status: 'running', phase: 'requesting' };
      progress.earlierTasks = new Map(facts.tasks.map((task) => [task.id, task]));
      facts.tasks = [];
      delete draft.places.tasks;
      facts.variables = {};
    },
    end(event) {
      // work that waits will go on with the calls that it waits for
      if (event.outcome !== 'waiting') {
        interruptCalls(draft, event.t);
        closeApprovals(draft);
      }
      readAnswer();
      if (event.output !== undefined && progress.structured) facts.object = event.output;
      progress.status = endStatus(event, event.output === undefined ? facts.text : event.output);
    },
    snapshot(waits = false) {
      readInputs(progress);
      readAnswer();
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

/** A copy of what a state says besides how it stands; the fields of a status have names of their own. */
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

/** The reader of an answer with one more piece; made anew where the answer begins anew, or another branch has fed it. */
function readOn({ answer, stepHasText }: DraftProgress, text: string, piece: string): PartialJson {
  if (answer !== undefined && stepHasText && answer.text.length + piece.length === text.length) {
    answer.feed(piece);
    return answer;
  }
  const fresh = createPartialJson();
  fresh.feed(text);
  return fresh;
}

function endStatus(event: RunEnd, result: unknown): RunStatus {
  switch (event.outcome) {
    case 'done':
      return { status: 'done', finishReason: event.finishReason ?? 'other', result };
    case 'error':
      return {
        status: 'error',
        error: event.error ?? { code: 'provider_error', message: 'The run failed without saying why.' },
      };
    default:
      return { status: event.outcome };
  }
}

function copyProgress(progress: DraftProgress = noProgress): DraftProgress {
  return {
    ...progress,
    open: new Map(progress.open),
    // readers of streamed arguments are shared between a state and the next; one that is behind is made anew
    inputs: new Map(progress.inputs),
    stale: new Map(),
    steered: [...progress.steered],
  };
}
