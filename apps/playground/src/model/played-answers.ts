import { reduceAll, type RunEvent } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import type { ScriptedAnswer } from '../examples/scripted-answer.ts';

/** Scripted answers to play, and the numbers of those that an earlier part of the run has played. */
export type AnswersToPlay = { scriptedAnswers: readonly ScriptedAnswer[]; played: readonly number[] };

/** Returns the number of the first unused scripted answer that fits a request, as JSON; -1 if there is none. */
export function findAnswer(
  scriptedAnswers: readonly ScriptedAnswer[],
  played: ReadonlySet<number>,
  request: string,
): number {
  return scriptedAnswers.findIndex(
    (scriptedAnswer, at) => !played.has(at) && (whenOf(scriptedAnswer)?.test(request) ?? true),
  );
}

/** The requests that a scripted answer answers; undefined if it answers any. */
export function whenOf(scriptedAnswer: ScriptedAnswer): RegExp | undefined {
  return hasTurn(scriptedAnswer) ? scriptedAnswer.when : undefined;
}

/** True for a scripted answer that has fields besides its turn. */
export function hasTurn(
  scriptedAnswer: ScriptedAnswer,
): scriptedAnswer is Extract<ScriptedAnswer, { turn: ScriptedTurn }> {
  return typeof scriptedAnswer === 'object' && 'turn' in scriptedAnswer;
}

/**
 * Returns how an example's scripted answers continue after the events `kept` of one of its runs. Undefined if the
 * scripted answers no longer fit, because another model has answered, something was edited, or the user has replied.
 * The rule-based demo model then answers.
 */
export function continueAnswers(
  scriptedAnswers: readonly ScriptedAnswer[],
  kept: readonly RunEvent[],
): AnswersToPlay | undefined {
  const [first] = kept;
  const models = kept.flatMap((event) =>
    event.type === 'run-start' || event.type === 'run-resume' ? [event.model] : [],
  );
  if (first?.type !== 'run-start' || (first.turns ?? 0) > 0) return undefined;
  if (models.some((model) => model !== 'simulated:scripted')) return undefined;
  if (kept.some((event) => 'edited' in event && event.edited)) return undefined;
  const { steps, agents } = reduceAll(kept);
  const played = new Set<number>();
  const requests = [...steps, ...agents.flatMap((agent) => agent.steps)]
    .toSorted((one, other) => one.startedAt - other.startedAt)
    .map(({ request }) => [{ role: 'system', content: request.instructions }, ...request.messages]);
  for (const request of requests) {
    const index = findAnswer(scriptedAnswers, played, JSON.stringify(request));
    if (index >= 0) played.add(index);
  }
  return { scriptedAnswers, played: [...played] };
}
