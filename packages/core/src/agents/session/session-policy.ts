import type { LanguageModel, ModelMessage } from 'ai';
import { createId } from '../../base/create-id.ts';
import type { CuelineError } from '../../base/errors.ts';
import type { LoopPolicySetup } from '../../engine/loop-policy.ts';
import { initialState } from '../../log/reduce.ts';
import { processEnvironment } from '../../models/environment.ts';
import type { ModelSettings } from '../../models/settings.ts';
import { splitTools } from '../../tools/named-tools.ts';
import type { ToolList } from '../../tools/tool-list.ts';
import { checkSettings } from './check-settings.ts';
import { checkAnswers, repairMessages } from './repair-messages.ts';
import type { SessionResult } from './session-callbacks.ts';
import { CONTINUE, OPENING, type SessionSettings } from './session-config.ts';
import { reportEnd } from './session-end.ts';
import { isPlain, type SessionModel } from './session-model.ts';
import { createSessionReporter } from './session-reporter.ts';
import { SessionTurns } from './session-turns.ts';
import { withSuspension } from './suspensions.ts';
import { createTaskComplete } from './task-complete.ts';

const OLLAMA_URL = 'http://127.0.0.1:11434';

/** Connects the caller who started a session with its end. */
export type SessionHandle = {
  turns?: SessionTurns;
  /** True once the caller does not wait any more, so that a session that begins later reports nothing. */
  left?: boolean;
};

/** Creates what makes a prompt a session, for one start. @throws CuelineError `invalid_options` */
export async function createSessionPolicy(
  settings: SessionSettings,
  handle: SessionHandle = {},
): Promise<LoopPolicySetup> {
  checkSettings(settings);
  const { systemPrompt, toolTimeout, options, limits } = settings;
  const { ready, own } = splitTools((settings.tools ?? {}) as ToolList);
  const taskComplete = createTaskComplete();
  const isLeft = handle.left === true;
  return {
    options: {
      ...options,
      instructions: systemPrompt,
      messages: openingMessages(settings),
      tools: Object.fromEntries(Object.entries(ready).map(([name, tool]) => [name, withSuspension(tool)])),
      ...(toolTimeout === undefined ? {} : { timeout: { toolMs: toolTimeout } }),
      limits: { steps: Infinity, toolCalls: Infinity, ...limits },
    },
    define(prompt) {
      prompt.defTools(own);
      taskComplete.define(prompt);
    },
    policy(context) {
      const { runContext, callBase } = context.agentContext;
      // the session of a run that other processes continue is the same in each
      const newId = runContext.durable === undefined ? createId('session') : callBase;
      const named = { ...settings, sessionId: settings.sessionId ?? newId };
      const reported = isLeft ? { ...named, callbacks: {}, logger: undefined } : named;
      const turns = new SessionTurns(context, reported, taskComplete);
      handle.turns ??= turns;
      return turns;
    },
  };
}

/** Returns the first messages of a session. @throws CuelineError `invalid_options` */
function openingMessages(settings: SessionSettings): ModelMessage[] {
  const { initialMessages = [], initialMessage = OPENING, answers = {} } = settings;
  checkAnswers(initialMessages, answers);
  if (initialMessages.length === 0) return [{ role: 'user', content: initialMessage }];
  const repaired = repairMessages(initialMessages, { answers });
  return repaired.at(-1)?.role === 'assistant'
    ? [...repaired, { role: 'user', content: CONTINUE }]
    : repaired;
}

/** Ends the session of a handle, unless it has ended, and returns its result, also if it had no turn. */
export async function sessionEnd(
  handle: SessionHandle,
  settings: SessionSettings & { sessionId: string },
  error: CuelineError | undefined,
): Promise<SessionResult> {
  handle.left = true;
  if (handle.turns !== undefined) {
    return handle.turns.end(error === undefined ? { outcome: 'stopped' } : { outcome: 'error', error });
  }
  const isStopped = error === undefined || error.code === 'aborted';
  return reportEnd(createSessionReporter(settings, { append: () => {}, ended: true }), settings, {
    finalOutput: '',
    totalTurns: 0,
    messages: [...(settings.initialMessages ?? [])],
    ending: isStopped ? { outcome: 'stopped' } : { outcome: 'error', error },
    phase: isStopped || /^(invalid_|script_)/.test(error.code) ? 'session' : 'llm',
    hasNewMessages: false,
    usage: () => initialState.usage,
  });
}

/** Returns the settings with the key and the address of a session's model. */
export function modelSettings(
  model: SessionModel | string | LanguageModel,
  models: ModelSettings = {},
): ModelSettings {
  if (!isPlain(model)) return models;
  const { provider, apiKey, baseURL } = model;
  const env = models.env ?? processEnvironment();
  const isOllama = provider === 'ollama';
  const prefix = `${provider.toUpperCase()}_API_`;
  const base = baseURL ?? env[`${prefix}BASE`] ?? (isOllama ? OLLAMA_URL : undefined);
  return {
    ...models,
    env: {
      ...env,
      // Ollama needs no key, but on another machine the client must have one
      [`${prefix}KEY`]: apiKey ?? env[`${prefix}KEY`] ?? (isOllama ? 'ollama' : undefined),
      [`${prefix}BASE`]: isOllama ? base?.replace(/(\/(v1|api))?\/*$/, '/v1') : base,
      // Anthropic's own protocol needs no type
      ...(provider === 'anthropic' ? {} : { [`${prefix}TYPE`]: 'openai' }),
    },
  };
}
