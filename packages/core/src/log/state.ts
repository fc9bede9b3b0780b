import type { FinishReason, LanguageModelUsage, ProviderMetadata, UIMessage } from 'ai';
import type { SerializedError } from '../base/errors.ts';
import type { PromptTypes } from '../base/prompt-types.ts';
import type { ToolEffect } from '../tools/tool-definition.ts';
import type { TaskItem } from '../tasks/task.ts';
import type { CompiledRequest, RequestAnswer, RunEventBody } from './events.ts';

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
  /** `text` where that is the argument itself and not JSON. */
  inputEncoding?: 'text';
  /**
   * The arguments as far as they have arrived, as JSON with what is open closed; missing before there is any, and once
   * `input` is there.
   */
  partialInput?: unknown;
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
  /** True where the tool did not run: its result is that of the same call before. */
  repeated?: true;
  /** What a composite tool did, one by one, in the order in which it began them. */
  subCalls?: SubCallState[];
};

/** One call inside a composite tool's call. Times are milliseconds since the run started. */
export type SubCallState = {
  name: string;
  input: unknown;
  state: 'running' | 'output-available' | 'output-error' | 'interrupted';
  output?: unknown;
  errorText?: string;
  startedAt: number;
  /** How long it ran, in milliseconds. */
  ms?: number;
  /** True where it did not run: its result is that of the same call before. */
  repeated?: true;
};

/** A task with what the log knows of its times, in milliseconds since the run started. */
export type TaskState = TaskItem & {
  /** `seq` of the event that changed it last; a move changes its place and not the task. */
  readonly seq: number;
  /** When it was first in progress, since it was last pending. */
  readonly startedAt?: number;
  /** When it was completed, failed or skipped. */
  readonly finishedAt?: number;
};

/** Something that the run needs from the page: an approval, or the result of a client tool. */
export type RequestState = {
  requestId: string;
  kind: 'approval' | 'client-tool';
  toolCallId: string;
  toolName: string;
  input: unknown;
  /** Why it is asked: the reason that `toolApproval` gives, or what was wrong with the arguments of the answer before. */
  fault?: string;
  /** Of a client tool: what its call does to the world, where the tool says so. */
  effect?: ToolEffect;
  /** Of a client tool: id of the page that has begun to run it. Missing before that. */
  page?: string;
  /** The provider asks, and runs the call itself once it is approved, with the arguments as they are. */
  providerExecuted?: true;
  /** Path of the agent that asks; missing for the run itself. */
  agent?: string;
  openedAt: number;
  /** Missing while it is open, and where it was withdrawn. */
  answer?: RequestAnswer;
  /** Nobody need answer it any more: its call ran out of time, or the run ended. */
  withdrawn?: true;
};

/** Words to the model between two steps; `messages` has them as a part of type `steering-message`. */
export type SteerState = Pick<Extract<RunEventBody, { type: 'steer' }>, 'id' | 'cause' | 'text'>;

/** One step of a run: one model call and the tools that it ran. Times are milliseconds since the run started. */
export type StepState = {
  step: number;
  request: CompiledRequest;
  startedAt: number;
  /** What the model was told between the step before and this one. Missing where it was told nothing. */
  steered?: SteerState[];
  /** When the first text, reasoning or tool argument arrived. */
  firstOutputAt?: number;
  finishedAt?: number;
  finishReason?: FinishReason;
  usage?: LanguageModelUsage;
  /** What the provider says of the answer besides. */
  providerMetadata?: ProviderMetadata;
};

export type VariableState = { kind: 'text' | 'data'; value: string };

/** What is known of a run whatever its status. Immutable; unchanged parts keep their identity from one state to the next. */
export type RunFacts<Types extends PromptTypes = PromptTypes> = {
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
  /** The answer of a prompt with an output schema, as far as it has arrived. Missing where there is none. */
  object?: Types['object'];
  /** The conversation as AI SDK UI messages; the last one is being written while the run is running. */
  messages: UIMessage[];
  toolCalls: Types['toolCall'][];
  /** The task list, in its order; empty where there is none. */
  tasks: readonly TaskState[];
  /** What the run has asked, open and answered. Of the agents, too, and what starts ask that go on out of sight. */
  requests: RequestState[];
  /** Every agent that has worked, at any depth, in the order in which they began. */
  agents: AgentState[];
  variables: Record<string, VariableState>;
  steps: StepState[];
  /** Sum over all steps that have ended, those of agents included. */
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
  warnings: string[];
  /** Milliseconds from start to the last event. */
  elapsed: number;
  /** How many starts wait for this one to end. */
  queued: number;
  /** True while a log is shown that happened before. */
  replaying: boolean;
  /** Why the run is not kept over a reload, where it should be. It goes on all the same. */
  storageError?: SerializedError;
};

/** What a run and an agent have in common: both work in steps, with messages, tools and tasks of their own. */
export type CommonFacts = Omit<
  RunFacts,
  'runId' | 'seq' | 'simulated' | 'agents' | 'requests' | 'elapsed' | 'queued' | 'replaying' | 'storageError'
>;

/** A model call that failed and is tried again. */
export type RetryState = {
  /** Why the last try failed. */
  error: SerializedError;
  /** Which try comes next, from 2. Tries that failed because there is no network are not counted. */
  attempt: number;
  /** How many tries there are at most. */
  maxAttempts: number;
  /** How long the wait is, in milliseconds from its begin; without a network, at the longest. */
  delayMs: number;
  /** When the next try begins, in milliseconds since the run started. */
  at: number;
};

/**
 * How a run stands. `phase` says what a running run is doing. Every field can be taken out of a state without a look at
 * its status, and is undefined where the status has none: `const { status, result, error } = state`.
 */
export type RunStatus<Output = unknown> =
  | ({ status: 'idle' } & Without<'phase' | 'retrying' | 'finishReason' | 'result' | 'error'>)
  | ({ status: 'running'; phase: 'requesting' | 'reasoning' | 'text' | 'tool-input' | 'tools' } & Without<
      'retrying' | 'finishReason' | 'result' | 'error'
    >)
  /** A model call failed and is tried again: after a wait, or once there is a network. */
  | ({ status: 'running'; phase: 'retrying' | 'offline'; retrying: RetryState } & Without<
      'finishReason' | 'result' | 'error'
    >)
  /** It needs an answer before it can go on: see `requests`. A log that has not ended goes on once all are answered. */
  | ({ status: 'waiting' } & Without<'phase' | 'retrying' | 'finishReason' | 'result' | 'error'>)
  /** `result` is the text of the answer, or the object that an output schema asks for. */
  | ({ status: 'done'; finishReason: FinishReason; result: Output } & Without<'phase' | 'retrying' | 'error'>)
  | ({ status: 'error'; error: SerializedError } & Without<'phase' | 'retrying' | 'finishReason' | 'result'>)
  | ({ status: 'stopped' } & Without<'phase' | 'retrying' | 'finishReason' | 'result' | 'error'>);

/** Fields that a status does not have. */
type Without<Fields extends string> = { [Field in Fields]?: undefined };

/** Everything that is known of a run at one moment, made from its log by {@link reduce}. */
export type RunState<Types extends PromptTypes = PromptTypes> = RunFacts<Types> & RunStatus<Types['output']>;

/** What is known of an agent whatever its status. Its `usage` is that of its own steps and of the agents below it. */
export type AgentFacts = {
  /** The ids of the tool calls that lead to it, joined with `/`. One that a model uses again is told apart by `~2`. */
  path: string;
  /** The call that it answers. */
  toolCallId: string;
  input: unknown;
  /** The validated object, where it has a response schema and is done. */
  output?: unknown;
} & CommonFacts;

/**
 * An agent at work, or done: a run inside the run. Its own agents stand beside it in the run's list, under longer paths.
 * What it asks stands in the run's `requests`; it is `running` meanwhile, and the run is `waiting`.
 */
export type AgentState = AgentFacts & RunStatus;
