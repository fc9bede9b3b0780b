import type { FinishReason, LanguageModelUsage, ProviderMetadata, UIMessage } from 'ai';
import type { SerializedError } from '../base/errors.ts';
import type { TaskItem } from '../tasks/task-item.ts';
import type { ApprovalResponse, ClientToolResponse, CompiledRequest, RunEventBody } from './events.ts';

/**
 * The types of a prompt and its runs: the answer, the answer while it arrives, the calls of its declared tools and of
 * its declared client tools, and its client tools by name, with their arguments and results.
 */
export type PromptTypes = {
  output: unknown;
  object: unknown;
  toolCall: ToolCallState;
  clientToolCall: ClientToolCallState;
  clientTools?: object;
};

/** A prompt that answers with text and declares no tools. */
export type TextPrompt = {
  output: string;
  object: undefined;
  toolCall: ToolCallState;
  clientToolCall: ClientToolCallState;
  clientTools: object;
};

/** One tool call of a run. Times are milliseconds since the run started. */
export type ToolCallState = {
  toolCallId: string;
  toolName: string;
  /** Number of the step that made the call, from 0. */
  step: number;
  /** The AI SDK's states, plus `running` while the tool executes and `interrupted` if the run ended before it did. */
  state:
    | 'input-streaming'
    | 'input-available'
    | 'running'
    | 'output-available'
    | 'output-error'
    | 'interrupted';
  /** The arguments so far, as text. */
  inputText: string;
  /** `text` if the text is the argument itself and not JSON. */
  inputEncoding?: 'text';
  /** The arguments so far, as JSON with open values closed. Missing before there is any, and once `input` is set. */
  partialInput?: unknown;
  /** The complete arguments; undefined while they stream. */
  input?: unknown;
  output?: unknown;
  errorText?: string;
  /** When the arguments started to arrive. */
  calledAt: number;
  /** When the tool started to execute. */
  startedAt?: number;
  /** When the tool's result or error arrived. */
  finishedAt?: number;
  /** How long the tool itself ran, in milliseconds. */
  ms?: number;
  /** True if the tool did not run: its result is that of the same call before. */
  repeated?: true;
  /** True if a person wrote the result or the error with `editLog`. */
  edited?: true;
  /** The calls inside a composite tool's call, in the order in which they started. */
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
  /** True if the call did not run: its result is that of the same call before. */
  repeated?: true;
};

/** A task with its times, in milliseconds since the run started. */
export type TaskState = TaskItem & {
  /** `seq` of the event that changed it last. A move does not change the task itself. */
  readonly seq: number;
  /** When it was first in progress since it was last pending. */
  readonly startedAt?: number;
  /** When it was completed, failed or skipped. */
  readonly finishedAt?: number;
};

/** An approval that a tool call waits for, or waited for. */
export type ApprovalState = Requested<'approval-request', ApprovalResponse>;

/** A call of a client tool, which the page runs. */
export type ClientToolCallState = Requested<'client-tool-request', ClientToolResponse> & {
  /** Id of the page that has started to run it. Missing before that. */
  page?: string;
};

/** The content of a request event, with its outcome. */
type Requested<Type extends RunEventBody['type'], Response> = Omit<
  Extract<RunEventBody, { type: Type }>,
  'type'
> & {
  /** Path of the agent whose call it is; missing for the run itself. */
  agent?: string;
  /** In milliseconds since the run started. */
  requestedAt: number;
  /** Missing while it is pending, and if it was withdrawn. */
  response?: Response;
  /** True if it needs no response any more: the call ran out of time, or the run ended. */
  withdrawn?: true;
};

/** A message to the model between two steps. `messages` contains it as a part of type `steering-message`. */
export type SteerState = Pick<Extract<RunEventBody, { type: 'steer' }>, 'id' | 'cause' | 'text'>;

/** One step of a run: one model call and the tools that it ran. Times are milliseconds since the run started. */
export type StepState = {
  step: number;
  request: CompiledRequest;
  startedAt: number;
  /** Messages to the model between the step before and this one. Missing if there were none. */
  steered?: SteerState[];
  /** When the first text, reasoning or tool argument arrived. */
  firstOutputAt?: number;
  finishedAt?: number;
  finishReason?: FinishReason;
  /** True if a person wrote the text of its answer with `editLog`. */
  edited?: true;
  usage?: LanguageModelUsage;
  /** The provider's metadata of the answer. */
  providerMetadata?: ProviderMetadata;
};

/** A variable of the system prompt: a text, or data that the model reads as YAML. */
export type VariableState = Pick<Extract<RunEventBody, { type: 'variable-set' }>, 'kind' | 'value'>;

/**
 * The fields of a run's state that exist in every status. Immutable; unchanged parts keep their identity between
 * states.
 */
export type RunFields<Types extends PromptTypes = PromptTypes> = {
  /** Empty before the first start. */
  runId: string;
  /** `seq` of the last event in this state; -1 before the first. */
  seq: number;
  name?: string;
  /** `provider:model`; empty before the first start. */
  model: string;
  /** True if the answers come from the embedded demo model. */
  simulated: boolean;
  /** Text of the last step that wrote any. */
  text: string;
  /** The answer of a prompt with an output schema, as far as it has arrived. Missing if there is none. */
  object?: Types['object'];
  /** The conversation as AI SDK UI messages. The last one grows while the run is running. */
  messages: UIMessage[];
  toolCalls: Types['toolCall'][];
  /** The task list, in its order; empty if there is none. */
  tasks: readonly TaskState[];
  /** The run's approvals, pending and answered, including those of agents and of starts in the background. */
  approvals: ApprovalState[];
  /**
   * The run's calls of client tools, pending and answered, including those of agents and of starts in the background.
   */
  clientToolCalls: Types['clientToolCall'][];
  /** Every agent so far, at any depth, in the order in which they started. */
  agents: AgentState[];
  variables: Record<string, VariableState>;
  steps: StepState[];
  /** Sum over all finished steps, including those of agents. */
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
  warnings: string[];
  /** Milliseconds from start to the last event. */
  elapsed: number;
  /** How many starts wait for the end of this one. */
  queued: number;
  /** True while a stored log is replayed. */
  replaying: boolean;
  /** Why the run is not stored although it should be. The run continues anyway. */
  storageError?: SerializedError;
};

/** The fields that a run and an agent have in common: both work in steps, with messages, tools and tasks. */
export type CommonFields = Omit<
  RunFields,
  | 'runId'
  | 'seq'
  | 'simulated'
  | 'agents'
  | 'approvals'
  | 'clientToolCalls'
  | 'elapsed'
  | 'queued'
  | 'replaying'
  | 'storageError'
>;

/** A model call that failed and is tried again. */
export type RetryState = {
  /** Why the last attempt failed. */
  error: SerializedError;
  /** The number of the next attempt, from 2. Attempts that failed without a network are not counted. */
  attempt: number;
  /** The maximum number of attempts. */
  maxAttempts: number;
  /** The length of the wait, in milliseconds; without a network, at most. */
  delayMs: number;
  /** When the next attempt starts, in milliseconds since the run started. */
  at: number;
};

/**
 * The status of a run. `phase` is what a running run does. Every field can be read without checking the status,
 * and is undefined if the status does not have it: `const { status, result, error } = state`.
 */
export type RunStatus<Output = unknown> =
  | StatusFields<{ status: 'idle' }>
  | StatusFields<{ status: 'running'; phase: 'requesting' | 'reasoning' | 'text' | 'tool-input' | 'tools' }>
  /** A model call failed and is tried again, after a wait or once there is a network. */
  | StatusFields<{ status: 'running'; phase: 'retrying' | 'offline'; retrying: RetryState }>
  /**
   * The run needs a response before it can continue: see `approvals` and `clientToolCalls`. A log without an end
   * continues once all have theirs.
   */
  | StatusFields<{ status: 'waiting' }>
  /** `result` is the text of the answer, or the object of an output schema. */
  | StatusFields<{ status: 'done'; finishReason: FinishReason; result: Output }>
  | StatusFields<{ status: 'error'; error: SerializedError }>
  | StatusFields<{ status: 'stopped' }>;

/** The fields of one status, with those of the others as undefined. */
type StatusFields<Fields> = Fields & {
  [Other in Exclude<'phase' | 'retrying' | 'finishReason' | 'result' | 'error', keyof Fields>]?: undefined;
};

/** The state of a run at one moment, made from its log by {@link reduce}. */
export type RunState<Types extends PromptTypes = PromptTypes> = RunFields<Types> & RunStatus<Types['output']>;

/** The fields of an agent's state that exist in every status. Its `usage` includes the agents below it. */
export type AgentFields = {
  /** The ids of the tool calls that lead to it, joined with `/`. Repeated ids are distinguished by `~2`. */
  path: string;
  /** The call that it answers. */
  toolCallId: string;
  input: unknown;
  /** The validated object, if it has a response schema and is done. */
  output?: unknown;
} & CommonFields;

/**
 * An agent, running or finished: a run inside the run. Its own agents are in the run's list, too, under longer paths.
 * Its approvals are in the run's `approvals`. Meanwhile the agent is `running`, and the run is `waiting`.
 */
export type AgentState = AgentFields & RunStatus;
