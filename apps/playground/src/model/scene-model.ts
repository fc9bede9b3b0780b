import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import {
  demoModel,
  scriptedModel,
  type ScriptedModelOptions,
  type ScriptedPart,
  type ScriptedTurn,
} from '@cueline/core/testing';
import type { Scene } from '../examples/scene.ts';

/** How to play scenes. `hurried`: without their pauses, for tests. */
export type SceneModelOptions = ScriptedModelOptions & { hurried?: boolean };

/**
 * A model that plays an example's scenes: each call gets the first unused scene that matches. Agents that work side
 * by side
 * find theirs. When none matches, because the user has intervened, the demo model answers.
 */
export function sceneModel(scenes: readonly Scene[], options: SceneModelOptions = {}): LanguageModelV4 {
  const { hurried = false, ...scripted } = options;
  const demo = demoModel(hurried ? { pace: 0 } : {});
  const played = new Set<number>();
  const modelFor = (call: LanguageModelV4CallOptions): LanguageModelV4 => {
    const request = JSON.stringify(call.prompt);
    const index = scenes.findIndex((scene, at) => !played.has(at) && fits(scene, request));
    if (index < 0) return demo;
    played.add(index);
    const turn = withIds(turnOf(scenes[index]!), index);
    return scriptedModel([hurried ? withoutPauses(turn) : turn], scripted);
  };
  return {
    specificationVersion: 'v4',
    provider: 'simulated',
    modelId: 'scripted',
    supportedUrls: {},
    doStream: async (call) => modelFor(call).doStream(call),
    doGenerate: async (call) => modelFor(call).doGenerate(call),
  };
}

function fits(scene: Scene, request: string): boolean {
  return !isConditional(scene) || scene.when.test(request);
}

function turnOf(scene: Scene): ScriptedTurn {
  return isConditional(scene) ? scene.turn : scene;
}

function isConditional(scene: Scene): scene is Extract<Scene, { when: RegExp }> {
  return typeof scene === 'object' && 'when' in scene;
}

/** Makes the ids of calls unique: each scene is a script of its own, and would begin to count anew. */
function withIds(turn: ScriptedTurn, scene: number): ScriptedTurn {
  if (typeof turn === 'string') return turn;
  return turn.map((part, index): string | ScriptedPart =>
    typeof part === 'object' && 'toolCall' in part
      ? { ...part, toolCall: { id: `call-${scene}-${index}`, ...part.toolCall } }
      : part,
  );
}

function withoutPauses(turn: ScriptedTurn): ScriptedTurn {
  if (typeof turn === 'string') return turn;
  return turn.map((part): string | ScriptedPart => (typeof part === 'string' ? part : { ...part, delay: 0 }));
}
