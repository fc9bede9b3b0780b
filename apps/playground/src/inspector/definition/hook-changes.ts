import type { CompiledRequest, RunEvent, RunState } from '@cueline/core';
import { sentStepOf, promptsInTurns, type PromptInTurn, type SentStep } from './prompt-steps.ts';

/** What a hook changed before a step. */
export type HookChange = SentStep & {
  /** When, since the start of that turn's run. */
  t: number;
  /** The task whose hook it is; undefined for a hook of the prompt. */
  taskId: string | undefined;
  /** The fields that the hook returned, each with its value in the request of the step. */
  fields: readonly { name: string; value: unknown }[];
};

/**
 * The changes of a hook in a conversation, in order, and the number of steps that it could have changed. `logOf` is
 * the log of a turn.
 */
export function historyOfHook(
  index: number,
  runs: readonly RunState[],
  logOf: (turn: number) => readonly RunEvent[],
  agent?: string,
): { changes: readonly HookChange[]; steps: number } {
  const prompts = promptsInTurns(runs, agent);
  const byPath = new Map(prompts.map((prompt) => [keyOf(prompt.turn, prompt.path), prompt]));
  const changes: HookChange[] = [];
  for (const [turn, run] of runs.entries()) {
    for (const event of logOf(turn)) {
      if (event.seq > run.seq) break;
      if (event.type !== 'hook' || event.index !== index) continue;
      const prompt = byPath.get(keyOf(turn, event.agent));
      const change = prompt && changeOf(prompt, event);
      if (change !== undefined) changes.push(change);
    }
  }
  return { changes, steps: prompts.reduce((sum, { work }) => sum + work.steps.length, 0) };
}

function keyOf(turn: number, path: string | undefined): string {
  return `${turn} ${path ?? ''}`;
}

/** The change, once the step has been sent. */
function changeOf(
  prompt: PromptInTurn,
  { step: number, t, taskId, changed }: Extract<RunEvent, { type: 'hook' }>,
): HookChange | undefined {
  const step = prompt.work.steps.findLast((each) => each.step === number);
  if (step === undefined) return undefined;
  const fields = changed.map((name) => ({ name, value: valueOf(name, step.request) }));
  return { ...sentStepOf(prompt, step), t, taskId, fields };
}

/** The value of a changed field as the step sent it; undefined for what a request does not have. */
function valueOf(name: string, request: CompiledRequest): unknown {
  switch (name) {
    case 'messages':
      return request.messages;
    case 'activeTools':
      return request.tools.map((tool) => tool.name);
    case 'system':
      return request.instructions;
    case 'model':
      return request.model;
    default:
      return Object.hasOwn(request.settings, name) ? request.settings[name] : undefined;
  }
}
