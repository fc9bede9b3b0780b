import { CuelineError } from '../../base/errors.ts';
import type { Ending } from '../../engine/ending.ts';
import type { CompletionReason, SessionPhase, SessionResult } from './session-callbacks.ts';
import type { SessionSettings } from './session-config.ts';
import type { SessionReporter } from './session-reporter.ts';

/** A session at the end of its run. */
export type SessionEnd = Pick<
  SessionResult,
  'finalOutput' | 'summary' | 'taskResult' | 'totalTurns' | 'messages' | 'suspended'
> & {
  ending: Ending;
  /** The session's own reason. */
  reason?: CompletionReason | undefined;
  /** The phase in which it failed, if it did. */
  phase: SessionPhase;
  /** True if the conversation was not reported as it is. */
  hasNewMessages: boolean;
  usage(): SessionResult['usage'];
};

/** Reports the end of a session, after which nothing else is reported, and returns its result. */
export async function reportEnd(
  reporter: SessionReporter,
  { sessionId, metadata }: SessionSettings & { sessionId: string },
  { ending, reason, phase, hasNewMessages, usage, suspended, ...fields }: SessionEnd,
): Promise<SessionResult> {
  const completionReason = reasonOf(ending, reason);
  const error = completionReason === 'error' ? ending.error : undefined;
  if (error !== undefined) void reporter.fail({ phase, error, turn: fields.totalTurns });
  const report = reporter.close();
  if (hasNewMessages) await report('onMessagesUpdate', fields.messages);
  const result: SessionResult = {
    sessionId,
    completionReason,
    ...fields,
    ...(completionReason === 'suspended' && suspended !== undefined ? { suspended } : {}),
    ...(error === undefined ? {} : { error }),
    usage: usage(),
    ...(metadata === undefined ? {} : { metadata }),
  };
  await report('onComplete', result);
  reporter.note('info', `The session is over: ${completionReason}.`, { turns: fields.totalTurns });
  return result;
}

/** Returns why a session with this end of its run is over. */
function reasonOf({ outcome }: Ending, reason: CompletionReason | undefined): CompletionReason {
  if (outcome === 'stopped') return 'stopped';
  if (outcome === 'waiting') return 'suspended';
  if (outcome === 'error') return reason === 'max_turns' ? reason : 'error';
  // `stopWhen` of the run's options
  return reason ?? 'stopped';
}

/** Returns the error for a call of a tool that the provider defines and the caller must run. */
export function missingExecuteError(toolName: string): CuelineError {
  return new CuelineError(
    'invalid_options',
    `The session: the provider defines the tool ${toolName} but does not run it, and the tool has no execute, so its calls never get a result. Give the tool a function: { ${toolName}: provider.tools.…({ …, execute: async (input) => … }) }.`,
    { details: { toolName } },
  );
}
