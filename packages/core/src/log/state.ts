import type { FinishReason, LanguageModelUsage, UIMessage } from 'ai';
import type { SerializedError } from '../errors.ts';
import type { CompiledRequest } from './events.ts';

/** One tool call of a run. Times are milliseconds since the run started. */
export type ToolCallState = {
  toolCallId: string;
  toolName: string;
  /** Number of the step that made the call, from 0. */
  step: number;
  /** The AI SDK's words, plus `running` while the tool executes and `interrupted` when the run ended before it did. */
  state:
    | 'input-streaming'
    | 'input-available'
    | 'running'
    | 'output-available'
    | 'output-error'
    | 'interrupted';
  /** The arguments as they have arrived, as text. */
  inputText: string;
  /** The whole arguments; undefined while they stream. */
  input?: unknown;
  output?: unknown;
  errorText?: string;
  /** When the arguments began to arrive. */
  calledAt: number;
  /** When the tool began to execute. */
  startedAt?: number;
  /** When the tool's result or error was there. */
  finishedAt?: number;
  /** How long the tool itself ran, in milliseconds. */
  ms?: number;
};

/** One step of a run: one model call and the tools that it ran. Times are milliseconds since the run started. */
export type StepState = {
  step: number;
  request: CompiledRequest;
  startedAt: number;
  /** When the first text, reasoning or tool argument arrived. */
  firstOutputAt?: number;
  finishedAt?: number;
  finishReason?: FinishReason;
  usage?: LanguageModelUsage;
};

export type VariableState = { kind: 'text' | 'data'; value: string };

/** What is known of a run whatever its status. Immutable; unchanged parts keep their identity from one state to the next. */
export type RunFacts = {
  /** Empty before the first start. */
  runId: string;
  /** `seq` of the last event in this state; -1 before the first. */
  seq: number;
  name?: string;
  /** `provider:model`; empty before the first start. */
  model: string;
  /** True where the answers come from an embedded model that is no real one. */
  simulated: boolean;
  /** Text of the last step that wrote any. */
  text: string;
  /** The conversation as AI SDK UI messages; the last one is being written while the run is running. */
  messages: UIMessage[];
  toolCalls: ToolCallState[];
  variables: Record<string, VariableState>;
  steps: StepState[];
  /** Sum over all steps that have ended. */
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
  warnings: string[];
  /** Milliseconds from start to the last event. */
  elapsed: number;
};

/** How a run stands. `phase` says what a running run is doing. */
export type RunStatus =
  | { status: 'idle' }
  | { status: 'running'; phase: 'requesting' | 'reasoning' | 'text' | 'tool-input' | 'tools' }
  | { status: 'waiting' }
  | { status: 'done'; finishReason: FinishReason }
  | { status: 'error'; error: SerializedError }
  | { status: 'stopped' };

/** Everything that is known of a run at one moment, made from its log by {@link reduce}. */
export type RunState = RunFacts & RunStatus;
