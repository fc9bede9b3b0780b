import type { CuelineError } from '../../base/errors.ts';

/**
 * The state of an agent call. In the first five it waits for the model's next answer; in `final` and
 * `final_correcting` the model must not call a tool any more. `done` and `failed` are ends.
 */
export type CallState =
  | 'asking'
  | 'interrupted'
  | 'correcting'
  | 'final'
  | 'final_correcting'
  | 'done'
  | 'failed';

/** The events of a call. */
export type CallEvent =
  /** A usable answer without tool calls. */
  | 'answered'
  /** An unreadable answer. */
  | 'unreadable'
  /** An empty answer. */
  | 'silent'
  /** An answer with tool calls. */
  | 'called'
  /** A tool call waits for an approval, and nothing here can respond to it. */
  | 'waiting'
  /** The model failed, also after retries. */
  | 'broken'
  /** The call was stopped. */
  | 'aborted'
  /** A limit of the run was reached, or its calls were a loop. */
  | 'limit';

/** Counters of a call's events. */
export type CallCounters = {
  /** Unusable answers in a row. */
  readonly exceptions: number;
  /** Rounds of tool calls. */
  readonly interrupts: number;
  /** Unusable answers in total. */
  readonly failures: number;
};

/** The limits of these counters. */
export type CallLimits = { readonly maxExceptionRetries: number; readonly maxInterrupts: number };

type Condition = (counters: CallCounters, limits: CallLimits) => boolean;

/** The conditions of rules, as written in the table. */
type ConditionName = 'exceptions < maxExceptionRetries' | 'interrupts + 1 < maxInterrupts';

/** Evaluates the conditions. */
export const conditions: Readonly<Record<ConditionName, Condition>> = {
  'exceptions < maxExceptionRetries': ({ exceptions }, { maxExceptionRetries }) =>
    exceptions < maxExceptionRetries,
  'interrupts + 1 < maxInterrupts': ({ interrupts }, { maxInterrupts }) => interrupts + 1 < maxInterrupts,
};

/** The first rule of a cell whose condition holds applies. The last rule of each cell has no condition. */
export type Rule = { readonly to: CallState; readonly when?: ConditionName };

type Row = Readonly<Record<CallEvent, readonly Rule[]>>;

const done: readonly Rule[] = [{ to: 'done' }];
const failed: readonly Rule[] = [{ to: 'failed' }];
const corrected: readonly Rule[] = [
  { to: 'correcting', when: 'exceptions < maxExceptionRetries' },
  { to: 'failed' },
];
const finallyCorrected: readonly Rule[] = [
  { to: 'final_correcting', when: 'exceptions < maxExceptionRetries' },
  { to: 'failed' },
];
const interrupted: readonly Rule[] = [
  { to: 'interrupted', when: 'interrupts + 1 < maxInterrupts' },
  { to: 'final' },
];

const over = { waiting: failed, broken: failed, aborted: failed, limit: failed };
const withTools: Row = {
  answered: done,
  unreadable: corrected,
  silent: corrected,
  called: interrupted,
  ...over,
};
const withoutTools: Row = {
  answered: done,
  unreadable: finallyCorrected,
  silent: finallyCorrected,
  called: finallyCorrected,
  ...over,
};

/** The rules for each event in each state. An end has none. */
export const transitions: Readonly<Record<CallState, Row>> = {
  asking: withTools,
  interrupted: withTools,
  correcting: withTools,
  final: withoutTools,
  final_correcting: withoutTools,
  done: everything(done),
  failed: everything(failed),
};

/** Returns the first state of a call. */
export function initialCallState({ maxInterrupts }: CallLimits): CallState {
  return maxInterrupts === 0 ? 'final' : 'asking';
}

/** The counters of a call that has just begun. */
export const noCounts: CallCounters = { exceptions: 0, interrupts: 0, failures: 0 };

/**
 * Applies an event. Unusable answers are counted until a good one: a readable text, or a round of tool calls. So a
 * call ends after at most (maxInterrupts + 1) × (maxExceptionRetries + 1) answers.
 */
export function transition(
  state: CallState,
  event: CallEvent,
  counters: CallCounters,
  limits: CallLimits,
): { state: CallState; counters: CallCounters } {
  if (isEnd(state)) return { state, counters };
  const rule = transitions[state][event].find(
    ({ when }) => when === undefined || conditions[when](counters, limits),
  )!;
  return { state: rule.to, counters: counted(rule.to, event, counters) };
}

/** True for a final state. */
export function isEnd(state: CallState): state is 'done' | 'failed' {
  return state === 'done' || state === 'failed';
}

/** True if the model may call tools. */
export function mayCallTools(state: CallState): boolean {
  return state !== 'final' && state !== 'final_correcting';
}

function counted(to: CallState, event: CallEvent, counters: CallCounters): CallCounters {
  const { exceptions, interrupts, failures } = counters;
  if (to === 'interrupted' || to === 'final') return { exceptions: 0, interrupts: interrupts + 1, failures };
  const isUnusable = event === 'unreadable' || event === 'silent' || event === 'called';
  return isUnusable ? { exceptions: exceptions + 1, interrupts, failures: failures + 1 } : counters;
}

function everything(rules: readonly Rule[]): Row {
  return {
    answered: rules,
    unreadable: rules,
    silent: rules,
    called: rules,
    waiting: rules,
    broken: rules,
    aborted: rules,
    limit: rules,
  };
}

/** Returns the event that an error from outside is to a call. */
export function eventOf({ code }: CuelineError): Extract<CallEvent, 'aborted' | 'limit' | 'broken'> {
  if (code === 'aborted') return 'aborted';
  return code === 'budget_exceeded' || code === 'loop_detected' ? 'limit' : 'broken';
}
