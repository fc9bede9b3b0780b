export type { EditReply, TaskEdit, TaskEvent, TaskItem, TaskOrigin, TaskStatus } from './tasks/task-item.ts';
export type { PromptTypes, TextPrompt } from './log/state.ts';
export type { ClientToolContext } from './client-tools/run-client-tool.ts';
export type { ClientToolFunction } from './client-tools/run-client-tool.ts';
export type { RouteOptions } from './executors/route-request.ts';
export type {
  SubCall,
  SubCaller,
  ToolContext,
  ToolEffect,
  ToolOptions,
  ToolRules,
} from './tools/tool-types.ts';
export type { ToolArguments, ToolSchema } from './tools/schema.ts';
export {
  CuelineError,
  type CuelineErrorCode,
  type ErrorSource,
  type SerializedError,
} from './base/errors.ts';

export type { AgentFunction, AgentOptions, Plugin, PluginMethods, Prompt } from './prompt/prompt.ts';
export {
  definePrompt,
  isPromptDefinition,
  type PromptDefinition,
  type PromptFunction,
  type PromptSettings,
  type PromptWithSchema,
} from './prompt/define-prompt.ts';
export type { InputIssue } from './prompt/invalid-input-error.ts';
export { remotePrompt, type RemotePrompt } from './prompt/remote-prompt.ts';
export { definePlugin } from './prompt/define-plugin.ts';
export type { ClientToolOptions } from './tools/client-tool.ts';
export { tool, type NamedTool, type ToolFactory } from './tools/tool.ts';
export type { ToolList } from './tools/tool-list.ts';
export type { ToolDefinition } from './prompt/definitions.ts';
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
export type { AgentDefinition } from './prompt/agent.ts';
export type { Hook, HookResult, HookStep, HookVariable } from './prompt/hook.ts';
export type {
  TaskDefinition,
  TaskListDefinition,
  TaskListHandle,
  TaskListOptions,
} from './prompt/task-list.ts';
export { findCurrentTask, isTaskDone, taskProgress } from './tasks/task-status.ts';
export type { Definitions, SystemPart, Variable } from './prompt/definitions.ts';
export type { SystemFormat } from './prompt/call-settings.ts';
export type { TokenEstimate, TokenPart } from './compile/estimate-tokens.ts';

export { runPrompt } from './run/run-prompt.ts';
export type { RunPromptResult } from './engine/start-run.ts';
export { dryRun } from './run/dry-run.ts';
export type { DryRun, DryRunConfig } from './engine/run-dry-run.ts';
export { createRun } from './run/create-run.ts';
export type { ClientTools } from './client-tools/client-tools.ts';
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

export type { ModelSettings } from './models/settings.ts';
export type { TypesOf, TypedSettings } from './prompt/types-of.ts';
export { failedStart } from './executors/failed-start.ts';
export { inProcess, type InProcessOptions } from './executors/in-process.ts';
export { viaRoute } from './executors/via-route.ts';
export type { Connectivity } from './provider/connectivity.ts';
export type { Executor, LocalExecutor, RouteExecutor, RunRequest } from './executors/executor.ts';
export type { RunStorage } from './storage/run-storage.ts';
export type { LimitOptions, Limits } from './prompt/prompt-options.ts';
export type { LoopRule } from './tools/loop-rule.ts';
export type { LoopGuardOptions } from './tools/loop-rule.ts';
export type { UnfinishedCall } from './log/unfinished-step.ts';
export type { RunCommand, RunHandle } from './log/run-handle.ts';
export type { PromptConfig, PromptOptions, PromptSource } from './prompt/prompt-options.ts';

export {
  LOG_VERSION,
  type ApprovalEvent,
  type ApprovalResponse,
  type ClientToolEvent,
  type ClientToolResponse,
  type CompiledRequest,
  type InstructionPart,
  type PromptVersion,
  type RequestChange,
  type RequestTool,
  type RunEvent,
  type RunEventBody,
  type RunOutcome,
  type AnswerSource,
  type ToolCallMetadata,
} from './log/events.ts';
export type {
  AgentState,
  ApprovalState,
  ClientToolCallState,
  RetryState,
  RunFields,
  RunState,
  RunStatus,
  SteerState,
  StepState,
  SubCallState,
  TaskState,
  ToolCallState,
  VariableState,
} from './log/state.ts';
export { upgradeLog } from './log/upgrade-log.ts';
export { createReducer, initialState, isInProgress, reduce, reduceAll, type Reducer } from './log/reduce.ts';
export { hasPending, isPending } from './log/pending.ts';
export { createRunLog, type RunLog, type RunLogOptions } from './log/run-log.ts';
export type { Scheduler } from './log/schedule.ts';
