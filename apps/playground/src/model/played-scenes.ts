import { reduceAll, type RunEvent } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import type { Scene } from '../examples/scene.ts';

/** Scenes to play, and the numbers of those that an earlier part of the run has played. */
export type ScenePlay = { scenes: readonly Scene[]; played: readonly number[] };

/** Returns the number of the first unused scene that fits a request, as JSON; -1 if there is none. */
export function findScene(scenes: readonly Scene[], played: ReadonlySet<number>, request: string): number {
  return scenes.findIndex((scene, at) => !played.has(at) && (whenOf(scene)?.test(request) ?? true));
}

/** The requests that a scene answers; undefined if it answers any. */
export function whenOf(scene: Scene): RegExp | undefined {
  return hasTurn(scene) ? scene.when : undefined;
}

/** True for a scene that has fields besides its turn. */
export function hasTurn(scene: Scene): scene is Extract<Scene, { turn: ScriptedTurn }> {
  return typeof scene === 'object' && 'turn' in scene;
}

/**
 * Returns how an example's scenes continue after the events `kept` of one of its runs. Undefined if the scenes no
 * longer fit, because another model has answered, something was edited, or the user has replied. The rule-based demo
 * model then answers.
 */
export function continueScenes(scenes: readonly Scene[], kept: readonly RunEvent[]): ScenePlay | undefined {
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
    const index = findScene(scenes, played, JSON.stringify(request));
    if (index >= 0) played.add(index);
  }
  return { scenes, played: [...played] };
}
