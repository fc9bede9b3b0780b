import type { ModelMessage } from 'ai';
import type { CuelineError } from '../../base/errors.ts';
import type { RunFacts } from '../../log/state.ts';
import type { SuspendedCall } from '../../tools/suspend.ts';

/** Why a session is over. */
export type CompletionReason = 'task_complete' | 'max_turns' | 'error' | 'stopped' | 'suspended';

/** What has come of a session. Plain JSON, but for `error` and files in messages. */
export type SessionResult = {
  sessionId: string;
  /** The text of the turn that called `task_complete`, or its summary where that turn has none; otherwise the model's last text. */
  finalOutput: string;
  /** What the model gave to `task_complete` as its summary; missing where it never called it. */
  summary?: string;
  /** Model calls of this session, those before a resume not included. */
  totalTurns: number;
  completionReason: CompletionReason;
  /** The conversation, to go on from. A call whose end is not known has no result in it. */
  messages: ModelMessage[];
  /** What the model gave to `task_complete` as its result. */
  taskResult?: unknown;
  /** The calls that wait for answers. */
  suspended?: SuspendedCall[];
  error?: CuelineError;
  /** Tokens, those of summaries and agents included. */
  usage: RunFacts['usage'];
  metadata?: Readonly<Record<string, unknown>>;
};
