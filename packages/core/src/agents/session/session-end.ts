import type { ModelMessage } from 'ai';
import { CuelineError } from '../../base/errors.ts';
import type { Ending } from '../../engine/recorder.ts';
import type { SessionPhase } from './session-callbacks.ts';
import type { SessionSettings } from './session-config.ts';
import type { CompletionReason, SessionResult } from './session-result.ts';
import type { SuspendedCall } from '../../tools/suspend.ts';
import type { Completion } from './task-complete.ts';
import type { SessionReporter } from './session-reporter.ts';

/** A session at the end of its run. */
export type SessionEnd = {
  settings: SessionSettings & { sessionId: string };
  ending: Ending;
  /** The session's own reason. */
  reason: CompletionReason | undefined;
  /** The phase in which it failed, if it did. */
  phase: SessionPhase;
  turn: number;
  /** The text of the turn that completed the task; otherwise the model's last text. */
  text: string | undefined;
  completion: Completion | undefined;
  suspended: SuspendedCall[];
  /** The conversation, if it was not reported as it is. */
  news: ModelMessage[] | undefined;
  messages: ModelMessage[];
  usage(): SessionResult['usage'];
};

/** Reports the end of a session, after which nothing else is reported, and returns its result. */
export async function reportEnd(reporter: SessionReporter, end: SessionEnd): Promise<SessionResult> {
  const { settings, ending, phase, turn, text, completion, suspended, news, messages } = end;
  const { sessionId, metadata } = settings;
  const completionReason = reasonOf(ending, end.reason);
  const error = completionReason === 'error' ? ending.error : undefined;
  if (error !== undefined) void reporter.fail({ phase, error, turn });
  const last = reporter.close();
  if (news !== undefined) await last.call('onMessagesUpdate', news);
  const result: SessionResult = {
    sessionId,
    finalOutput: text ?? completion?.summary ?? '',
    ...(completion === undefined ? {} : { summary: completion.summary }),
    totalTurns: turn,
    completionReason,
    messages,
    ...(completion?.result === undefined ? {} : { taskResult: completion.result }),
    ...(completionReason === 'suspended' ? { suspended } : {}),
    ...(error === undefined ? {} : { error }),
    usage: end.usage(),
    ...(metadata === undefined ? {} : { metadata }),
  };
  await last.call('onComplete', result);
  reporter.note('info', `The session is over: ${completionReason}.`, { turns: turn });
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
export function withoutExecute(toolName: string): CuelineError {
  return new CuelineError(
    'invalid_options',
    `The session: the provider defines the tool ${toolName} but does not run it, and the tool has no execute, so its calls never get a result. Give the tool a function: { ${toolName}: provider.tools.…({ …, execute: async (input) => … }) }.`,
    { details: { toolName } },
  );
}

export function outOfTurns(maxTurns: number): CuelineError {
  return new CuelineError(
    'budget_exceeded',
    `The session has had its ${maxTurns} turns, and its task is not complete. Go on from its messages, or raise maxTurns.`,
    { details: { limit: 'turns', allowed: maxTurns } },
  );
}
