/**
 * Where an agent call is. The first five wait for the model's next answer; in `final` and `final_correcting` it may call
 * no tool any more. `done` and `failed` are ends.
 */
export type CallState =
  | 'asking'
  | 'interrupted'
  | 'correcting'
  | 'final'
  | 'final_correcting'
  | 'done'
  | 'failed';

/** What can happen to a call. */
export type CallEvent =
  /** An answer without tool calls that could be read. */
  | 'answered'
  /** One that could not be read. */
  | 'unreadable'
  /** One that says nothing. */
  | 'silent'
  /** One that calls tools. */
  | 'called'
  /** A tool's call waits for an approval that nobody here can give. */
  | 'waiting'
  /** The model failed, also when it was asked again. */
  | 'broken'
  /** The call was stopped. */
  | 'aborted'
  /** A limit of the run was reached, or its calls went round in a circle. */
  | 'limit';

/** How often what has happened. */
export type CallCounters = {
  /** Answers in a row that could not be used. */
  readonly exceptions: number;
  /** Rounds of tool calls. */
  readonly interrupts: number;
  /** Answers in all that could not be used. */
  readonly failures: number;
};

/** How often it may happen. */
export type CallLimits = { readonly maxExceptionRetries: number; readonly maxInterrupts: number };

type Condition = (counters: CallCounters, limits: CallLimits) => boolean;

/** What a rule can ask, in the words that the table has for it. */
type ConditionName = 'exceptions < maxExceptionRetries' | 'interrupts + 1 < maxInterrupts';

/** Whether it is so. */
export const conditions: Readonly<Record<ConditionName, Condition>> = {
  'exceptions < maxExceptionRetries': ({ exceptions }, { maxExceptionRetries }) =>
    exceptions < maxExceptionRetries,
  'interrupts + 1 < maxInterrupts': ({ interrupts }, { maxInterrupts }) => interrupts + 1 < maxInterrupts,
};

/** The first rule of a cell whose condition holds says what comes next; the last one of each has none. */
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

/** What comes of each event in each state. Nothing comes of any in an end. */
export const transitions: Readonly<Record<CallState, Row>> = {
  asking: withTools,
  interrupted: withTools,
  correcting: withTools,
  final: withoutTools,
  final_correcting: withoutTools,
  done: everything(done),
  failed: everything(failed),
};

/** The state that a call begins in. */
export function initialCallState({ maxInterrupts }: CallLimits): CallState {
  return maxInterrupts === 0 ? 'final' : 'asking';
}

/** Counters of a call that has just begun. */
export const noCounts: CallCounters = { exceptions: 0, interrupts: 0, failures: 0 };

/**
 * What comes of an event. Answers that cannot be used are counted until a good one: text that can be read, or a round of
 * tool calls. So a call ends after at most (maxInterrupts + 1) × (maxExceptionRetries + 1) answers.
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

/** True for a state that nothing leads out of. */
export function isEnd(state: CallState): state is 'done' | 'failed' {
  return state === 'done' || state === 'failed';
}

/** True where the model may call tools. */
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
