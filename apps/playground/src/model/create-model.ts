import type { LanguageModelV4 } from '@ai-sdk/provider';
import { guardFetch, resolveModel } from '@cueline/core/models';
import { demoModel } from '@cueline/core/testing';
import { scriptedPace } from '../examples/scripted-answer.ts';
import { isLoopback, OPENAI_BASE_URL, type Connection } from './connection.ts';
import type { AnswersToPlay } from './played-answers.ts';
import { scriptedModelOf } from './scripted-model.ts';

/** The variables that describe a provider to core's `resolveModel`. */
export type ModelEnvironment = Record<string, string>;

/** A connection for `resolveModel`: the reference and the environment that describes its provider. */
export function toModelReference({ connection, keys }: Connection): { ref: string; env: ModelEnvironment } {
  switch (connection.kind) {
    case 'demo':
      return { ref: 'simulated:demo', env: {} };
    case 'openai': {
      const { model, api, baseUrl } = connection.openai;
      const env: ModelEnvironment = { OPENAI_API_KEY: keys.openai.trim() };
      if (baseUrl.trim() !== '') env.OPENAI_API_BASE = baseUrl.trim();
      return { ref: `${api === 'chat' ? 'openai-chat' : 'openai'}:${model.trim()}`, env };
    }
    case 'compatible': {
      const { model, baseUrl } = connection.compatible;
      const address = baseUrl.trim();
      const env: ModelEnvironment = { CUSTOM_API_BASE: address, CUSTOM_API_TYPE: 'openai' };
      const key = keys.compatible.trim();
      // Core requires a key for a server that is not on this machine; a server without keys ignores this one.
      if (key !== '') env.CUSTOM_API_KEY = key;
      else if (!URL.canParse(address) || !isLoopback(new URL(address).hostname)) env.CUSTOM_API_KEY = 'none';
      return { ref: `custom:${model.trim()}`, env };
    }
  }
}

/** The last model that was created. It keeps no state between calls, so runs can share it. */
let last: (Connection & { model: LanguageModelV4 }) | undefined;

/**
 * The model of a connection, at once if it is simulated or was made before. `play` has an example's own scripted
 * answers, which replace the rule-based demo model.
 */
export function createModel(
  settings: Connection,
  play?: AnswersToPlay,
): LanguageModelV4 | Promise<LanguageModelV4> {
  const { connection, keys } = settings;
  if (connection.kind === 'demo') {
    if (play === undefined) return demoModel();
    return scriptedModelOf(play.scriptedAnswers, { ...scriptedPace, played: play.played });
  }
  return last?.connection === connection && last.keys === keys ? last.model : loadModel(settings);
}

async function loadModel(settings: Connection): Promise<LanguageModelV4> {
  const { ref, env } = toModelReference(settings);
  const resolved = await resolveModel(ref, {
    env,
    providers: { 'openai-chat': (id) => openAIChat(id, env) },
  });
  // Every provider that can be named here has this version; core also takes models of older ones.
  const model = resolved as LanguageModelV4;
  last = { ...settings, model };
  return model;
}

/** OpenAI's Chat Completions; `openai:` alone means Responses. */
async function openAIChat(modelId: string, env: ModelEnvironment): Promise<LanguageModelV4> {
  const { createOpenAI } = await import('@ai-sdk/openai');
  const apiKey = env.OPENAI_API_KEY ?? '';
  return createOpenAI({ apiKey, baseURL: env.OPENAI_API_BASE ?? OPENAI_BASE_URL, fetch: guardFetch() }).chat(
    modelId,
  );
}
