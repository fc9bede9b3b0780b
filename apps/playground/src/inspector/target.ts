import type { AgentState, RunState, StepState, ToolCallState } from '@cueline/core';
import type { Selection, StepSelection } from '../state/inspection.ts';
import type { ShownRun } from '../state/shown-run.ts';

/** What the inspector shows: a step of the run or of an agent, in a turn. */
export type StepTarget = {
  turn: number;
  /** The agent; missing for the run itself. */
  path: string | undefined;
  /** The state of that turn. */
  run: RunState;
  /** The agent, or the run itself. */
  work: RunState | AgentState;
  /** The position of the step among those of `work`. */
  index: number;
  step: StepState;
  /** The request before this one: of the step before, or of the last step of the turn before. */
  before: StepState | undefined;
  /** The call, if one is selected. */
  call: ToolCallState | undefined;
};

/** The last step of the run itself; undefined before its first step. */
export function latestStep(shown: ShownRun): StepTarget | undefined {
  const { steps } = shown.state;
  return targetAt(shown, { turn: shown.turn, path: undefined, index: steps.length - 1 });
}

/** What is selected, if it has happened at the moment that is shown. */
export function findTarget(shown: ShownRun, selected: StepSelection): StepTarget | undefined {
  const { turn, agent: path, step } = selected;
  const work = workAt(shown, turn, path);
  const index = work?.steps.findLastIndex((each) => each.step === step) ?? -1;
  const target = targetAt(shown, { turn, path, index });
  if (target === undefined || selected.kind === 'step') return target;
  const { toolCallId } = selected;
  const call = target.work.toolCalls.findLast(
    (each) => each.toolCallId === toolCallId && each.step === target.index,
  );
  return call && { ...target, call };
}

/** True for a step of a simulated model, which is free. The steps of a continued run may have several models. */
export function isSimulated({ request }: StepState): boolean {
  return request.model.startsWith('simulated:');
}

/** The selections of the steps before and after this one. The turns of a conversation follow each other. */
export function neighbors(
  shown: ShownRun,
  { turn, path, index, work }: StepTarget,
): { before: Selection | undefined; after: Selection | undefined } {
  const inTurn = (at: number): Selection | undefined => {
    const { step } = work.steps[at] ?? {};
    return step === undefined ? undefined : { kind: 'step', turn, agent: path, step };
  };
  const ofTurn = (other: number, at: 0 | -1): Selection | undefined => {
    if (path !== undefined) return undefined;
    const { step } = runAt(shown, other)?.steps.at(at) ?? {};
    return step === undefined ? undefined : { kind: 'step', turn: other, step };
  };
  return {
    before: inTurn(index - 1) ?? ofTurn(turn - 1, -1),
    after: inTurn(index + 1) ?? ofTurn(turn + 1, 0),
  };
}

type StepIndex = { turn: number; path: string | undefined; index: number };

function targetAt(shown: ShownRun, { turn, path, index }: StepIndex): StepTarget | undefined {
  const run = runAt(shown, turn);
  const work = workAt(shown, turn, path);
  const step = work?.steps[index];
  if (run === undefined || work === undefined || step === undefined) return undefined;
  const earlier = path === undefined ? runAt(shown, turn - 1)?.steps.at(-1) : undefined;
  const before = index > 0 ? work.steps[index - 1] : earlier;
  return { turn, path, run, work, index, step, before, call: undefined };
}

function runAt({ state, turn, earlier }: ShownRun, wanted: number): RunState | undefined {
  return wanted === turn ? state : earlier[wanted]?.state;
}

function workAt(shown: ShownRun, turn: number, path: string | undefined): RunState | AgentState | undefined {
  const run = runAt(shown, turn);
  return path === undefined ? run : run?.agents.findLast((agent) => agent.path === path);
}
