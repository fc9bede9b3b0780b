import type { ModelMessage } from 'ai';
import type { CuelineError } from '../../base/errors.ts';
import type { RunFields } from '../../log/state.ts';
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
  usage: RunFields['usage'];
  metadata?: Readonly<Record<string, unknown>>;
};

/** A tool call of the model, as `onToolCall` gets it. */
export type ToolCallInfo = {
  toolCallId: string;
  toolName: string;
  /** The arguments of the model; a text if they are not JSON. */
  input: unknown;
  /** From 1. */
  turn: number;
};

/** A tool call with its result, as `onToolResult` gets it. */
export type ToolResultInfo = ToolCallInfo & { output: unknown };

/** The place of an error: a model call, a call's arguments, a tool, a summary, or the session itself. */
export type SessionPhase = 'llm' | 'tool_parsing' | 'tool_execution' | 'summarize' | 'session';

/** A failure, as `onError` gets it. A failure of a call has the call, too. */
export type ErrorInfo = { phase: SessionPhase; error: Error; turn: number } & Partial<
  Pick<ToolCallInfo, 'toolCallId' | 'toolName' | 'input'>
>;

/** The callbacks of a session. Each is awaited before the next is called. One that throws stops nothing. */
export type SessionCallbacks = {
  /** Called before each model call. Turns count from 1. */
  onTurnStart?: ((sessionId: string, turn: number) => void | Promise<void>) | undefined;
  onAssistantMessage?: ((sessionId: string, text: string, turn: number) => void | Promise<void>) | undefined;
  /** Called for each call of an answer, before the first of them runs. */
  onToolCall?: ((sessionId: string, info: ToolCallInfo) => void | Promise<void>) | undefined;
  onToolResult?: ((sessionId: string, info: ToolResultInfo) => void | Promise<void>) | undefined;
  onError?: ((sessionId: string, info: ErrorInfo) => void | Promise<void>) | undefined;
  onComplete?: ((sessionId: string, info: SessionResult) => void | Promise<void>) | undefined;
  /**
   * Called with a copy of the conversation whenever it has grown: before tools run, with their calls, after each
   * turn, and after a summary. `initialMessages` takes the same messages.
   */
  onMessagesUpdate?: ((sessionId: string, messages: ModelMessage[]) => void | Promise<void>) | undefined;
  /**
   * Returns the messages to summarize. Messages that it leaves out are dropped unless `onAfterSummarize` adds them.
   */
  onBeforeSummarize?:
    | ((sessionId: string, messages: ModelMessage[]) => ModelMessage[] | Promise<ModelMessage[]>)
    | undefined;
  /** Returns the messages to continue with; by default the two messages of the summary. */
  onAfterSummarize?:
    | ((sessionId: string, summarizedMessages: ModelMessage[]) => ModelMessage[] | Promise<ModelMessage[]>)
    | undefined;
};
