import type { RunState, StepState } from '@cueline/core';
import { agentOf, promptsOf, type Work } from '../prompts-of-run.ts';

/** One prompt in one turn of a conversation: the run itself, or one of its agents. */
export type PromptInTurn = {
  turn: number;
  /** The agent; missing for the run itself. */
  path: string | undefined;
  work: Work;
};

/** Where a definition was sent: a step of the run or of an agent, in a turn. */
export type SentStep = Pick<PromptInTurn, 'turn' | 'path'> & { step: number; startedAt: number };

/**
 * The run itself in each of these turns, or its agents with these names, in order. `agent` is the names from the
 * outermost agent, joined with `/`; undefined for the run.
 */
export function promptsInTurns(runs: readonly RunState[], agent: string | undefined): PromptInTurn[] {
  return runs.flatMap((run, turn) => {
    const wanted = agent === undefined ? undefined : agentOf({ of: 'agent', name: '', agent }, run);
    return promptsOf(run)
      .filter((prompt) => prompt.agent === wanted)
      .map(({ work, path }) => ({ turn, path, work }));
  });
}

/**
 * The position of a message in a request, or of a hook of a prompt, from its name such as `messages[0]` or
 * `hooks[0]`.
 */
export function positionIn(name: string): number | undefined {
  const digits = /^(?:messages|hooks)\[(\d{1,6})\]$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A step, with its turn and its agent. */
export function sentStepOf({ turn, path }: PromptInTurn, { step, startedAt }: StepState): SentStep {
  return { turn, path, step, startedAt };
}

/** A key for the row of a step. A turn that starts again has another time for the same step. */
export function sentStepKey({ turn, path = '', step, startedAt }: SentStep): string {
  return `${turn} ${path} ${startedAt} ${step}`;
}
