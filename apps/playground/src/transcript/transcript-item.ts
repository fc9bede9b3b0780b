import type {
  AgentState,
  RetryState,
  RunState,
  SerializedError,
  StepState,
  ToolCallState,
} from '@cueline/core';
import type { Pending } from '../state/pending.ts';

/** One row of the transcript. `key` stays the same for the same row from frame to frame. */
export type TranscriptItem = { key: string } & (
  | { kind: 'system'; text: string; variables: number }
  | { kind: 'user'; text: string; files: readonly FilePart[]; variables: RunState['variables'] }
  | ({ kind: 'step'; step: StepState } & StepFields)
  | ({ kind: 'steer'; text: string } & SteerFields)
  | { kind: 'reasoning'; text: string; streaming: boolean }
  | { kind: 'text'; text: string; streaming: boolean }
  | ({ kind: 'tool'; inner: readonly InnerItem[] } & CallFields)
  | ({ kind: 'agent'; agent: AgentState; items: readonly TranscriptItem[] } & CallFields)
  | InnerFields
  | { kind: 'given'; text: string }
  | { kind: 'source'; title: string; url: string | undefined }
  | { kind: 'file'; file: FilePart }
  | { kind: 'complete'; summary: string; result: unknown }
  | { kind: 'result'; value: object }
  | { kind: 'warning'; message: string }
  | { kind: 'error'; error: SerializedError }
  | { kind: 'stopped' }
  | { kind: 'suspended' }
  | { kind: 'starting' }
);

/**
 * An agent that is not a tool: one that a tool's function called, shown inside that tool's call, or one that
 * answers no call, such as a session's summary.
 */
export type InnerItem = { key: string } & InnerFields;

type InnerFields = {
  kind: 'inner';
  agent: AgentState;
  /** Alone inside a tool's call, one of several there, a card of its own, or one that summarizes the conversation. */
  variant: 'inside' | 'line' | 'card' | 'summary';
  turn: number;
  /** True while it works; false at a moment of the past. */
  live: boolean;
  items: readonly TranscriptItem[];
};

/** The turn of a row, from 0, and the path of the agent that it belongs to; no path for the run itself. */
export type RowPlace = { turn: number; path: string | undefined };

/** Whether the step's model call has sent nothing yet, and whether it waits for another attempt. */
export type StepFields = RowPlace & { waiting: boolean; retrying: RetryState | undefined; offline: boolean };

/**
 * The data of a tool call's card. `live`: it may still change. `pending`: its approval or client tool call, if it has
 * one.
 */
export type CallFields = {
  call: ToolCallState;
  /** Missing for a call that only the message knows. */
  turn: number | undefined;
  path: string | undefined;
  live: boolean;
  pending: Pending | undefined;
};

/** A file in a message, by its address, which is never loaded unless it is a data URL. */
export type FilePart = { mediaType: string; url: string; filename?: string | undefined };

/** Why the model got feedback: its author, and what the step before had been. */
export type SteerFields = {
  cause: NonNullable<StepState['steered']>[number]['cause'];
  after: 'calls' | 'failure' | 'answer';
};
