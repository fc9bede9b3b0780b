import type { ModelMessage } from 'ai';
import type { CuelineError } from '../../base/errors.ts';
import type { RunFacts } from '../../log/state.ts';
import type { SuspendedCall } from '../../tools/suspend.ts';

/** Why a session is over. */
export type CompletionReason = 'task_complete' | 'max_turns' | 'error' | 'stopped' | 'suspended';

/** The result of a session. Plain JSON, except for `error` and files in messages. */
export type SessionResult = {
  sessionId: string;
  /**
   * The text of the turn that called `task_complete`, or its summary if that turn has no text; otherwise the model's
   * last text.
   */
  finalOutput: string;
  /** The summary that the model passed to `task_complete`; missing if it never called it. */
  summary?: string;
  /** The number of model calls of this session, without those before a resume. */
  totalTurns: number;
  completionReason: CompletionReason;
  /** The conversation, to continue it. A call whose end is unknown has no result in it. */
  messages: ModelMessage[];
  /** The result that the model passed to `task_complete`. */
  taskResult?: unknown;
  /** The calls that wait for results. */
  suspended?: SuspendedCall[];
  error?: CuelineError;
  /** Tokens, including those of summaries and agents. */
  usage: RunFacts['usage'];
  metadata?: Readonly<Record<string, unknown>>;
};
