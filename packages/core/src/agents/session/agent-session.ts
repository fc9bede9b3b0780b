import type { LanguageModel, ModelMessage, TextPart } from 'ai';
import { createId } from '../../base/create-id.ts';
import type { CuelineError } from '../../base/errors.ts';
import { loadModule } from '../../base/load-module.ts';
import { inProcessWith } from '../../executors/in-process.ts';
import { initialState } from '../../log/reduce.ts';
import type { PromptTypes } from '../../log/state.ts';
import { checkName } from '../../prompt/check-name.ts';
import type { PromptDefinition } from '../../prompt/define-prompt.ts';
import { createRun } from '../../run/create-run.ts';
import type { Run } from '../../run/run.ts';
import type { SessionResult } from './session-callbacks.ts';
import {
  checkConfig,
  OPENING,
  type SessionConfig,
  type SessionSchemas,
  type SessionSettings,
} from './session-config.ts';
import { resolveSessionModel, type SessionModel } from './session-model.ts';
import type * as Session from './session-policy.ts';
import type { Completion } from './task-complete.ts';

/** The types of a session's run. Its result is a summary, and an object if the model returns one. */
export type SessionTypes = PromptTypes & { output: Completion; object: undefined };

/** A session in progress, or an ended one. Awaiting it returns its result. */
export type AgentSession = PromiseLike<SessionResult> & {
  readonly sessionId: string;
  /** The first message. */
  readonly initialMessage: string;
  /** Never rejects: errors are in the result. */
  readonly promise: Promise<SessionResult>;
  /** The session as a run, to show it; `run.send('…')` after its end continues as a session. */
  readonly run: Run<void, SessionTypes>;
  /** Ends the session as `stopped`, with its model call and its tools. */
  stop(): void;
};

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
  config: SessionSettings<Schemas> & { model?: string | LanguageModel | undefined },
): PromptDefinition<void, SessionTypes> {
  checkName('A session', name, "defineSession('research', { systemPrompt: '…' })");
  checkConfig(`The session ${name}`, config);
  const { model, ...settings } = config;
  return { ...sessionPrompt(name, settings), ...(model === undefined ? {} : { model }) };
}

/**
 * Lets a model work with tools, turn by turn, until it calls `task_complete`. Mistakes in the config throw at once;
 * later errors are in the result.
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
  const chosen = resolveSessionModel(model);
  const { signal, models, storage, ...sessionSettings } = config;
  const sessionId = sessionSettings.sessionId ?? createId('session');
  const settings = { ...sessionSettings, sessionId };
  const handle: Session.SessionHandle = {};
  const run = createRun(sessionPrompt('session', settings, handle), {
    id: sessionId,
    model: chosen,
    executor: inProcessWith(async () => (await loadSession()).modelSettings(model, models)),
    storage,
  });
  const started = run.start(undefined, { signal });
  // what follows its end is a session of its own, without a caller who waits here
  const later = (): void => run.configure({ definition: sessionPrompt('session', settings) });
  void started.then(later, later);
  const promise = untilEnd(started, settings, handle);
  return {
    sessionId,
    initialMessage: firstMessageOf(settings),
    promise,
    run,
    stop: () => run.stop(),
    // makes it awaitable
    // oxlint-disable-next-line unicorn/no-thenable
    then: (...handlers) => promise.then(...handlers),
  };
}

/** Returns the prompt of a session. The caller of a start waits for its end at `handle`. */
function sessionPrompt(
  name: string,
  settings: SessionSettings,
  handle?: Session.SessionHandle,
): PromptDefinition<void, SessionTypes> {
  return {
    kind: 'prompt',
    name,
    run: () => {},
    policySetup: async () => (await loadSession()).createSessionPolicy(settings, handle),
  };
}

/** Returns the conversation's first message, also if it was in an earlier session. */
function firstMessageOf({ initialMessages = [], initialMessage = OPENING }: SessionSettings): string {
  // the messages are checked when the session begins
  const first = initialMessages.find((message: ModelMessage | null) => message?.role === 'user');
  if (first === undefined) return initialMessage;
  const content: unknown = first.content;
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part: Partial<TextPart> | null) => part?.text ?? '').join('');
}

async function untilEnd(
  started: Promise<unknown>,
  settings: SessionSettings & { sessionId: string },
  handle: Session.SessionHandle,
): Promise<SessionResult> {
  const error = await started.then(
    () => undefined,
    (error: unknown) => error as CuelineError,
  );
  try {
    return await (await loadSession()).sessionEnd(handle, settings, error);
  } catch (failure) {
    return {
      sessionId: settings.sessionId,
      finalOutput: '',
      totalTurns: 0,
      completionReason: 'error',
      messages: [...(settings.initialMessages ?? [])],
      error: error ?? (failure as CuelineError),
      usage: initialState.usage,
    };
  }
}

/** Loads the code of sessions. A page that only shows them does not load it. */
function loadSession(): Promise<typeof Session> {
  return loadModule('sessions', import('./session-policy.ts'));
}
