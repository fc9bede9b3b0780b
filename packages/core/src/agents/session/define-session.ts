import type { LanguageModel } from 'ai';
import type { PromptTypes } from '../../base/prompt-types.ts';
import type { PromptDefinition } from '../../prompt/define-prompt.ts';
import type { SessionHandle } from './session-policy.ts';
import { loadSession } from './load-session.ts';
import { checkConfig, type SessionSchemas, type SessionSettings } from './session-config.ts';
import type { Completion } from './task-complete.ts';

/** The types of a session's run. Its result is a summary, and an object if the model returns one. */
export type SessionTypes = PromptTypes & { output: Completion; object: undefined };

/**
 * Defines a session as a prompt, for a hook, a route or a playground, which say where it runs and with which model.
 * Each start is a session of its own, and its result is what the model passed to `task_complete`.
 *
 * @example
 * export const research = defineSession('research', { systemPrompt: 'You …', tools: { search } });
 * const { run } = usePrompt(research);
 */
export function defineSession<const Schemas extends SessionSchemas = SessionSchemas>(
  name: string,
  config: SessionSettings<Schemas> & { model?: string | LanguageModel },
): PromptDefinition<void, SessionTypes> {
  checkConfig(`The session ${name}`, config);
  const { model, ...settings } = config;
  return sessionPrompt(name, settings, undefined, model);
}

/** Returns the prompt of a session. The caller of a start waits for its end at `handle`. */
export function sessionPrompt(
  name: string,
  settings: SessionSettings,
  handle?: SessionHandle,
  model?: string | LanguageModel,
): PromptDefinition<void, SessionTypes> {
  return {
    kind: 'prompt',
    name,
    run: () => {},
    ...(model === undefined ? {} : { model }),
    policySetup: async () => (await loadSession()).createSessionPolicy(settings, handle),
  };
}
