export { CuelineError, type CuelineErrorCode, type ErrorSource, type SerializedError } from './errors.ts';

export type { Prompt } from './prompt/prompt.ts';
export {
  definePrompt,
  isPromptDefinition,
  type PromptDefinition,
  type PromptFunction,
  type PromptSettings,
  type PromptWithSchema,
} from './prompt/define-prompt.ts';
export type { InputIssue } from './prompt/invalid-input.ts';
export { remotePrompt, type RemotePrompt } from './prompt/remote-prompt.ts';
export { definePlugin, type Plugin, type PluginMethods } from './prompt/define-plugin.ts';
export type { ClientToolOptions } from './prompt/client-tool.ts';
export { tool, type NamedTool } from './prompt/tool.ts';
export type {
  SubCall,
  SubCaller,
  ToolArguments,
  ToolContext,
  ToolDefinition,
  ToolEffect,
  ToolOptions,
  ToolRules,
  ToolSchema,
} from './prompt/tool-definition.ts';
export type {
  AssistantPart,
  MessageContent,
  MessageRole,
  ReasoningPart,
  ToolCallPart,
  ToolErrorPart,
  ToolPart,
  ToolResultPart,
  UserPart,
} from './prompt/message-parts.ts';
export { audioPart, filePart, imagePart, textPart } from './prompt/parts.ts';
export type { AudioPart, ContentPart, FilePart, ImagePart, TextPart } from './prompt/content-part.ts';
export type { AgentDefinition, AgentFunction, AgentOptions } from './prompt/agent.ts';
export type { Hook, HookResult, HookStep, HookVariable } from './prompt/hook.ts';
export type {
  TaskDefinition,
  TaskListDefinition,
  TaskListHandle,
  TaskListOptions,
} from './prompt/task-list.ts';
export type { EditReply, TaskEdit, TaskEvent, TaskItem, TaskOrigin, TaskStatus } from './tasks/task.ts';
export type { Definitions, SystemPart, Variable } from './prompt/definitions.ts';
export type { SystemFormat } from './compile/instructions.ts';
export type { TokenEstimate, TokenPart } from './compile/estimate-tokens.ts';

export { runPrompt, type RunPromptResult } from './run/run-prompt.ts';
export { dryRun, type DryRun, type DryRunConfig } from './run/dry-run.ts';
export { createRun } from './run/create-run.ts';
export type { ClientToolContext, ClientToolFunction, ClientTools } from './run/client-tools.ts';
export type {
  RetryOptions,
  Run,
  RunOptions,
  RunSettings,
  SendMessage,
  SendOptions,
  StartOptions,
  WhenBusy,
} from './run/run.ts';
export { runAgentSession, type AgentSession } from './session/run-agent-session.ts';
export { defineSession, type SessionTypes } from './session/define-session.ts';
export { suspend, type SuspendedCall, type Suspension } from './prompt/suspend.ts';
export type {
  SessionConfig,
  SessionLogger,
  SessionOptions,
  SessionSettings,
  SessionTool,
  SessionTools,
} from './session/session-config.ts';
export type {
  ErrorInfo,
  SessionCallbacks,
  SessionPhase,
  ToolCallInfo,
  ToolResultInfo,
} from './session/session-callbacks.ts';
export type { SessionModel } from './session/session-model.ts';
export type { CompletionReason, SessionResult } from './session/session-result.ts';
export type { Completion } from './session/task-complete.ts';

export { defineAgent } from './call/define-agent.ts';
export type { Agent, AgentInput, AgentTypes, CallOptions, CallResult } from './call/agent.ts';
export type {
  AgentCallOptions,
  AgentConfig,
  AgentTools,
  CallException,
  CallInterrupt,
  ExceptionHandler,
  InterruptHandler,
} from './call/agent-config.ts';
export type { CallErrorDetails } from './call/call-error.ts';
export type { CallEvent, CallState } from './call/transitions.ts';
export type { CallTrace } from './call/call-trace.ts';
export {
  classify,
  classifyBinary,
  type AgentClassifyOptions,
  type BinaryClassification,
  type Classification,
  type ClassifyOptions,
} from './call/classify.ts';
export type { Dialog, DialogAddition, DialogJSON } from './call/dialog.ts';
export type { OutputConfig, OutputOf, ParseFunction } from './call/output-config.ts';
export { tags, type Tags, type TagValues } from './call/tags.ts';

export type { ModelSettings } from './models/settings.ts';
export type { PromptTypes, TextPrompt } from './prompt-types.ts';
export type { TypesOf, TypedSettings } from './prompt/types-of.ts';
export { failedStart } from './run/failed-start.ts';
export { inProcess, sendCommand, type InProcessOptions } from './run/in-process.ts';
export { viaRoute, type RouteOptions } from './run/via-route.ts';
export type { Connectivity } from './run/connectivity.ts';
export type { Executor, LocalExecutor, RouteExecutor, RunCommand, RunRequest } from './run/executor.ts';
export type { RunStorage } from './run/run-storage.ts';
export type { Limits } from './run/limits.ts';
export type { LoopRule } from './prompt/loop-rule.ts';
export type { LoopGuardOptions } from './run/loop-rules.ts';
export type { LiveRun } from './run/live-run.ts';
export type { PromptConfig, PromptOptions, PromptSource } from './run/options.ts';

export {
  LOG_VERSION,
  type ApprovalAnswer,
  type ClientToolAnswer,
  type CompiledRequest,
  type RequestAnswer,
  type RequestChange,
  type RequestEvent,
  type RequestTool,
  type RunEvent,
  type RunEventBody,
  type RunOutcome,
  type SourceFacts,
  type ToolCallFacts,
} from './log/events.ts';
export type {
  AgentState,
  RequestState,
  RetryState,
  RunFacts,
  RunState,
  RunStatus,
  SteerState,
  StepState,
  SubCallState,
  TaskState,
  ToolCallState,
  VariableState,
} from './log/state.ts';
export { createReducer, initialState, isOpenRequest, reduce, reduceAll, type Reducer } from './log/reduce.ts';
export { createRunLog, type RunLog, type RunLogOptions } from './log/run-log.ts';
export { nextFrame, type Scheduler } from './log/schedule.ts';
