import type { ModelMessage } from 'ai';
import { createId } from '../../base/create-id.ts';
import type { CuelineError } from '../../base/errors.ts';
import { initialState } from '../../log/reduce.ts';
import type { LoopPolicySetup } from '../../engine/loop-policy.ts';
import { checkSettings } from './check-settings.ts';
import { createTurnPolicy } from './turn-policy.ts';
import { CONTINUE } from './idle-reminder.ts';
import { checkAnswers, repairMessages } from './repair-messages.ts';
import { OPENING, type SessionSettings } from './session-config.ts';
import { reportEnd } from './session-end.ts';
import type { SessionResult } from './session-result.ts';
import { readTools } from './session-tools.ts';
import { createSessionReporter } from './session-reporter.ts';
import { createTaskComplete } from './task-complete.ts';

export { modelSettings } from './model-settings.ts';

/** Connects the caller who started a session with its end. */
export type SessionHandle = {
  /** Ends the session, unless it has ended, and returns its result. */
  end?: (error: CuelineError | undefined) => Promise<SessionResult>;
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
  const named = { ...settings, sessionId: settings.sessionId ?? createId('session') };
  const tools = readTools(settings.tools, toolTimeout);
  const taskComplete = createTaskComplete();
  const isLeft = handle.left === true;
  return {
    options: {
      ...options,
      instructions: systemPrompt,
      messages: openingMessages(settings),
      tools: tools.ready,
      // a session with a `toolTimeout` measures it by itself
      ...(toolTimeout === undefined ? {} : { timeout: { toolMs: Infinity } }),
      limits: { steps: Infinity, toolCalls: Infinity, ...limits },
    },
    define(prompt) {
      tools.define(prompt);
      taskComplete.define(prompt);
    },
    policy(stage) {
      const told = isLeft ? { ...named, callbacks: {}, logger: undefined } : named;
      const { policy, end } = createTurnPolicy(stage, told, { taskComplete, thrown: tools.thrown });
      handle.end ??= end;
      return policy;
    },
  };
}

/** Returns the first messages of a session. @throws CuelineError `invalid_options` */
function openingMessages(settings: SessionSettings): ModelMessage[] {
  const { initialMessages = [], initialMessage = OPENING, answers = {} } = settings;
  checkAnswers(initialMessages, answers);
  if (initialMessages.length === 0) return [{ role: 'user', content: initialMessage }];
  const mended = repairMessages(initialMessages, { answers });
  return mended.at(-1)?.role === 'assistant' ? [...mended, { role: 'user', content: CONTINUE }] : mended;
}

/** Returns the result of the session of a handle, also if it never reached its first turn. */
export async function endOf(
  handle: SessionHandle,
  settings: SessionSettings,
  error: CuelineError | undefined,
): Promise<SessionResult> {
  handle.left = true;
  if (handle.end !== undefined) return handle.end(error);
  const { sessionId = '', initialMessages = [] } = settings;
  const named = { ...settings, sessionId };
  const isStopped = error === undefined || error.code === 'aborted';
  return reportEnd(createSessionReporter(named, { append: () => {}, ended: true }), {
    settings: named,
    ending: isStopped ? { outcome: 'stopped' } : { outcome: 'error', error },
    reason: undefined,
    phase: isStopped || /^(invalid_|script_)/.test(error.code) ? 'session' : 'llm',
    turn: 0,
    text: undefined,
    completion: undefined,
    suspended: [],
    news: undefined,
    messages: [...initialMessages],
    usage: () => initialState.usage,
  });
}
