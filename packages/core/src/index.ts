export {
  CuelineError,
  type CuelineErrorCode,
  type ErrorSource,
  type SerializedError,
} from './base/errors.ts';

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
export type { ClientToolOptions } from './tools/client-tool.ts';
export { tool, type NamedTool } from './tools/tool.ts';
export type { ToolDefinition } from './prompt/definitions.ts';
export type {
  SubCall,
  SubCaller,
  ToolArguments,
  ToolContext,
  ToolEffect,
  ToolOptions,
  ToolRules,
  ToolSchema,
} from './tools/tool-definition.ts';
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
} from './messages/message-parts.ts';
export { audioPart, filePart, imagePart, textPart } from './messages/parts.ts';
export type { AudioPart, ContentPart, FilePart, ImagePart, TextPart } from './messages/content-part.ts';
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
export type { SystemFormat } from './prompt/prompt-options.ts';
export type { TokenEstimate, TokenPart } from './compile/estimate-tokens.ts';

export { runPrompt } from './run/run-prompt.ts';
export type { RunPromptResult } from './engine/start-run.ts';
export { dryRun } from './run/dry-run.ts';
export type { DryRun, DryRunConfig } from './engine/run-dry-run.ts';
export { createRun } from './run/create-run.ts';
export type { ClientToolContext, ClientToolFunction, ClientTools } from './client-tools/client-tools.ts';
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
export { runAgentSession, type AgentSession } from './agents/session/run-agent-session.ts';
export { defineSession, type SessionTypes } from './agents/session/define-session.ts';
export { suspend, type SuspendedCall, type Suspension } from './tools/suspend.ts';
export type {
  SessionConfig,
  SessionLogger,
  SessionOptions,
  SessionSettings,
  SessionTool,
  SessionTools,
} from './agents/session/session-config.ts';
export type {
  ErrorInfo,
  SessionCallbacks,
  SessionPhase,
  ToolCallInfo,
  ToolResultInfo,
} from './agents/session/session-callbacks.ts';
export type { SessionModel } from './agents/session/session-model.ts';
export type { CompletionReason, SessionResult } from './agents/session/session-result.ts';
export type { Completion } from './agents/session/task-complete.ts';

export { defineAgent } from './agents/call/define-agent.ts';
export type { Agent, AgentInput, AgentTypes, CallOptions, CallResult } from './agents/call/agent.ts';
export type {
  AgentCallOptions,
  AgentConfig,
  AgentTools,
  CallException,
  CallInterrupt,
  ExceptionHandler,
  InterruptHandler,
} from './agents/call/agent-config.ts';
export type { CallErrorDetails } from './agents/call/call-error.ts';
export type { CallEvent, CallState } from './agents/call/transitions.ts';
export type { CallTrace } from './agents/call/call-trace.ts';
export {
  classify,
  classifyBinary,
  type AgentClassifyOptions,
  type BinaryClassification,
  type Classification,
  type ClassifyOptions,
} from './agents/call/classify.ts';
export type { Dialog, DialogAddition, DialogJSON } from './agents/call/dialog.ts';
export type { OutputConfig, OutputOf, ParseFunction } from './agents/call/output-config.ts';
export { tags, type Tags, type TagValues } from './agents/tags/tags.ts';

export type { ModelSettings } from './models/settings.ts';
export type { PromptTypes, TextPrompt } from './base/prompt-types.ts';
export type { TypesOf, TypedSettings } from './prompt/types-of.ts';
export { failedStart } from './executors/failed-start.ts';
export { inProcess, sendCommand, type InProcessOptions } from './executors/in-process.ts';
export { viaRoute, type RouteOptions } from './executors/via-route.ts';
export type { Connectivity } from './provider/connectivity.ts';
export type { Executor, LocalExecutor, RouteExecutor, RunCommand, RunRequest } from './executors/executor.ts';
export type { RunStorage } from './storage/run-storage.ts';
export type { Limits } from './prompt/prompt-options.ts';
export type { LoopRule } from './tools/loop-rule.ts';
export type { LoopGuardOptions } from './tools/loop-rule.ts';
export type { LiveRun } from './engine/live-run.ts';
export type { PromptConfig, PromptOptions, PromptSource } from './prompt/prompt-options.ts';

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
