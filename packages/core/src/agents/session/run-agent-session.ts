import type { LanguageModel, ModelMessage, TextPart } from 'ai';
import { createId } from '../../base/create-id.ts';
import type { CuelineError } from '../../base/errors.ts';
import { initialState } from '../../log/reduce.ts';
import { createRun } from '../../run/create-run.ts';
import { inProcessWith } from '../../executors/in-process.ts';
import type { Run } from '../../run/run.ts';
import type { SessionHandle } from './session-policy.ts';
import { sessionPrompt, type SessionTypes } from './define-session.ts';
import { loadSession } from './load-session.ts';
import {
  checkConfig,
  OPENING,
  type SessionConfig,
  type SessionSchemas,
  type SessionSettings,
} from './session-config.ts';
import { modelOf, type SessionModel } from './session-model.ts';
import type { SessionResult } from './session-result.ts';

/** A session that is under way, or over. Awaiting it gives its result. */
export type AgentSession = PromiseLike<SessionResult> & {
  readonly sessionId: string;
  /** The message that it began with. */
  readonly initialMessage: string;
  /** Never rejects: whatever happens is in the result. */
  readonly promise: Promise<SessionResult>;
  /** The same as a run, to be shown while it goes on; `run.send('…')` after the end goes on as a session. */
  readonly run: Run<void, SessionTypes>;
  /** Ends it as `stopped`, with the model call and the tools that are under way. */
  stop(): void;
};

/**
 * Lets a model work with tools, turn by turn, until it calls `task_complete`. Mistakes in the config throw at once;
 * whatever happens later is in the result.
 *
 * @example
 * const { finalOutput } = await runAgentSession(
 *   { provider: 'openai', model: 'gpt-4o', apiKey },
 *   { systemPrompt: 'You are a helpful assistant.', tools: { search } },
 * );
 */
export function runAgentSession<const Schemas extends SessionSchemas = SessionSchemas>(
  model: SessionModel | string | LanguageModel,
  config: SessionConfig<Schemas>,
): AgentSession {
  checkConfig('runAgentSession', config);
  const chosen = modelOf(model);
  const { signal, models, storage, ...given } = config;
  const sessionId = given.sessionId ?? createId('session');
  const settings: SessionSettings = { ...given, sessionId };
  const handle: SessionHandle = {};
  const run = createRun(sessionPrompt('session', settings, handle), {
    id: sessionId,
    model: chosen,
    executor: inProcessWith(async () => (await loadSession()).modelSettings(model, models)),
    storage,
  });
  const started = run.start(undefined, { signal });
  // what comes after its end is a session of its own, for which nobody waits here
  const later = (): void => run.configure({ definition: sessionPrompt('session', settings) });
  void started.then(later, later);
  const promise = untilEnd(started, settings, handle);
  return {
    sessionId,
    initialMessage: firstWords(settings),
    promise,
    run,
    stop: () => run.stop(),
    // what makes it awaitable
    // oxlint-disable-next-line unicorn/no-thenable
    then: (...handlers) => promise.then(...handlers),
  };
}

/** What began the conversation, also where it began in an earlier session. */
function firstWords({ initialMessages = [], initialMessage = OPENING }: SessionSettings): string {
  // that they are messages is checked as it begins
  const first = initialMessages.find((message: ModelMessage | null) => message?.role === 'user');
  if (first === undefined) return initialMessage;
  const content: unknown = first.content;
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part: Partial<TextPart> | null) => part?.text ?? '').join('');
}

async function untilEnd(
  started: Promise<unknown>,
  settings: SessionSettings,
  handle: SessionHandle,
): Promise<SessionResult> {
  const error = await started.then(
    () => undefined,
    (error: unknown) => error as CuelineError,
  );
  try {
    return await (await loadSession()).endOf(handle, settings, error);
  } catch (failure) {
    return {
      sessionId: settings.sessionId ?? '',
      finalOutput: '',
      totalTurns: 0,
      completionReason: 'error',
      messages: [...(settings.initialMessages ?? [])],
      error: error ?? (failure as CuelineError),
      usage: initialState.usage,
    };
  }
}
