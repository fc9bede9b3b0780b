import type { ModelMessage } from 'ai';
import { createId } from '../create-id.ts';
import type { CuelineError } from '../errors.ts';
import type { Conducted } from '../run/conduct.ts';
import { checkSettings } from './check-settings.ts';
import { conductTurns } from './conduct-turns.ts';
import { CONTINUE } from './idle.ts';
import { checkAnswers, mendMessages } from './mend-messages.ts';
import { createCallbackQueue } from './session-callbacks.ts';
import { OPENING, type SessionSettings } from './session-config.ts';
import { createSessionLog } from './session-log.ts';
import { noUsage, type SessionResult } from './session-result.ts';
import { readTools } from './session-tools.ts';
import { createTaskComplete } from './task-complete.ts';

/** Where whoever started a session waits for its end. */
export type SessionSeat = {
  /** Ends the session that was started there, unless it has ended, and gives its result. */
  end?: (error: CuelineError | undefined) => Promise<SessionResult>;
  /** True once the wait is over, so that what begins only then is not told of. */
  left?: boolean;
};

/** What makes a prompt a session, for one start. @throws CuelineError `invalid_options` */
export async function conductSession(settings: SessionSettings, seat: SessionSeat = {}): Promise<Conducted> {
  checkSettings(settings);
  const { systemPrompt, toolTimeout, options, limits } = settings;
  const named = { ...settings, sessionId: settings.sessionId ?? createId('session') };
  const tools = readTools(settings.tools, toolTimeout);
  const taskComplete = createTaskComplete();
  const isLeft = seat.left === true;
  return {
    options: {
      ...options,
      instructions: systemPrompt,
      messages: openingMessages(settings),
      tools: tools.ready,
      ...(tools.timeouts === undefined ? {} : { timeout: { tools: tools.timeouts } }),
      limits: { steps: Infinity, toolCalls: Infinity, ...limits },
    },
    define(prompt) {
      tools.define(prompt);
      taskComplete.define(prompt);
    },
    conduct(stage) {
      const told = isLeft ? { ...named, callbacks: {} } : named;
      const { conduct, end } = conductTurns(stage, told, { taskComplete, thrown: tools.thrown });
      seat.end ??= end;
      return conduct;
    },
  };
}

/** What a session begins with. @throws CuelineError `invalid_options` */
export function openingMessages(settings: SessionSettings): ModelMessage[] {
  const { initialMessages = [], initialMessage = OPENING, answers = {} } = settings;
  if (initialMessages.length === 0) return [{ role: 'user', content: initialMessage }];
  checkAnswers(initialMessages, answers);
  const mended = mendMessages(initialMessages, { answers });
  return mended.at(-1)?.role === 'assistant' ? [...mended, { role: 'user', content: CONTINUE }] : mended;
}

/** The result of the session that was started at a seat, also where it never came to its first turn. */
export async function endOf(
  seat: SessionSeat,
  settings: SessionSettings,
  error: CuelineError | undefined,
): Promise<SessionResult> {
  seat.left = true;
  if (seat.end !== undefined) return seat.end(error);
  const { sessionId = '', callbacks = {}, logger, metadata, initialMessages = [] } = settings;
  const isStopped = error === undefined || error.code === 'aborted';
  const result: SessionResult = {
    sessionId,
    finalOutput: '',
    totalTurns: 0,
    completionReason: isStopped ? 'stopped' : 'error',
    messages: [...initialMessages],
    ...(isStopped ? {} : { error }),
    usage: noUsage,
    ...(metadata === undefined ? {} : { metadata }),
  };
  const queue = createCallbackQueue(sessionId, callbacks, {
    warn: () => {},
    note: createSessionLog(logger, sessionId, metadata),
  });
  if (!isStopped) await queue.call('onError', { phase: 'llm', error, turn: 0 });
  await queue.call('onComplete', result);
  return result;
}
