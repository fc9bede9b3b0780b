import type { UIMessage } from 'ai';
import type { PartialJson } from '../json/partial-json.ts';
import type { ToolCallMetadata } from './events.ts';
import type { IdIndex } from './id-index.ts';
import type { CommonFields, RunStatus, SteerState, TaskState, ToolCallState } from './state.ts';

/** What the reducer remembers between two events besides the state itself. */
export type DraftProgress = MessageProgress & {
  /** Messages to the model since the last step ended, which belong to the next one. */
  steered?: SteerState[] | undefined;
  /** Reads the answer while it arrives, if it is JSON. */
  answer?: PartialJson;
  /** True if the answer has grown since it was last read. */
  answerIsStale?: boolean;
  /** The tasks before the run resumed. A resumed run repeats them before its first step. */
  earlierTasks: ReadonlyMap<string, TaskState>;
  /** The text before the current step. */
  earlierText: string;
  /** True if the answer is JSON. */
  structured?: boolean | undefined;
  /** The status without what is pending: it is running also while the state is waiting. */
  status: RunStatus;
};

/** The fields that depend on the state. */
export type StateFields = {
  input?: unknown;
  inputEncoding?: 'json' | 'text' | undefined;
  rawInput?: string | undefined;
  output?: unknown;
  errorText?: string | undefined;
  preliminary?: boolean | undefined;
};

export type ApprovalPart = {
  id: string;
  requestReason?: string;
  isAutomatic?: true;
  approved?: boolean;
  reason?: string;
  /** The arguments with which the user has approved the call, if any. */
  input?: unknown;
};

/** The fields while they are written. `writable` makes a copy that may be changed, once between two snapshots. */
export type StateDraft = {
  fields: CommonFields;
  writable<T extends object>(value: T): T;
  progress: DraftProgress;
  /** Indexes of lists that may be long. */
  indexes: {
    calls: IdIndex<ToolCallState>;
    /** The parts of the message that is being written. */
    parts: IdIndex<MessagePart & { toolCallId?: string }>;
    tasks?: Map<string, number>;
    drift?: number;
  };
};

/** What the reducer remembers between two events to continue a message. */
export type MessageProgress = {
  messageId: string;
  /** Indexes of the text and reasoning parts that have not ended, by kind and id. */
  open: Map<string, number>;
  /** Readers of streaming tool arguments, by tool call id. */
  inputs: Map<string, PartialJson>;
  /**
   * Tool parts and calls that are behind the readers of their arguments, by tool call id; updated once a snapshot.
   */
  stale: Map<string, (ToolPart | ToolCallState)[]>;
  /** True once the current step has written text. */
  stepHasText?: boolean;
  /** The index of the current step's `step-start` part; undefined before it exists. */
  stepStartIndex?: number | undefined;
};

/** A tool's part of a UI message while it is being written, in any state. */
export type ToolPart = {
  type: string;
  toolCallId: string;
  toolName?: string;
  state:
    | 'input-streaming'
    | 'input-available'
    | 'approval-requested'
    | 'approval-responded'
    | 'output-available'
    | 'output-error'
    | 'output-denied';
  approval?: ApprovalPart;
  callProviderMetadata?: unknown;
  resultProviderMetadata?: unknown;
} & StateFields &
  Pick<ToolCallMetadata, 'title' | 'toolMetadata' | 'providerExecuted'>;
export type MessagePart = UIMessage['parts'][number];
