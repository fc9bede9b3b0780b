// Prompts: what they are, and what a prompt function can say
export {
  definePrompt,
  isPromptDefinition,
  type PromptDefinition,
  type PromptFunction,
  type PromptSettings,
  type PromptWithSchema,
} from './prompt/define-prompt.ts';
export { remotePrompt, type RemotePrompt } from './prompt/remote-prompt.ts';
export { definePlugin } from './prompt/define-plugin.ts';
export type { AgentFunction, AgentOptions, Plugin, PluginMethods, Prompt } from './prompt/prompt.ts';
export type { AgentDefinition } from './prompt/agent.ts';
export type { Hook, HookResult, HookStep, HookVariable } from './prompt/hook.ts';
export type { Definitions, SystemPart, ToolDefinition, Variable } from './prompt/definitions.ts';
export type { SystemFormat } from './prompt/call-settings.ts';
export type {
  LimitOptions,
  Limits,
  PromptConfig,
  PromptOptions,
  PromptSource,
  TextOutput,
} from './prompt/prompt-options.ts';
export type { InputIssue } from './prompt/invalid-input-error.ts';
export type { TypedSettings, TypesOf } from './prompt/types-of.ts';

// Tools, and functions of the page as tools
export { tool, type NamedTool, type ToolFactory } from './tools/tool.ts';
export type { ToolArguments, ToolSchema } from './tools/schema.ts';
export type { ToolList } from './tools/tool-list.ts';
export type {
  SubCall,
  SubCaller,
  ToolContext,
  ToolEffect,
  ToolOptions,
  ToolRules,
} from './tools/tool-types.ts';
export type { LoopGuardOptions, LoopRule } from './tools/loop-rule.ts';
export type { ClientToolOptions } from './tools/client-tool.ts';
export type { ClientTools } from './client-tools/client-tools.ts';
export type { ClientToolContext, ClientToolFunction } from './client-tools/run-client-tool.ts';

// Task lists
export type {
  TaskDefinition,
  TaskListDefinition,
  TaskListHandle,
  TaskListOptions,
} from './prompt/task-list.ts';
export { findCurrentTask, isTaskDone, taskProgress } from './tasks/task-status.ts';
export type { EditReply, TaskEdit, TaskEvent, TaskItem, TaskOrigin, TaskStatus } from './tasks/task-item.ts';

// The log of a run, and the state that is a function of it
export {
  LOG_VERSION,
  type AnswerSource,
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
  type ToolCallMetadata,
} from './log/events.ts';
export { createReducer, initialState, isInProgress, reduce, reduceAll, type Reducer } from './log/reduce.ts';
export { hasPending, isPending } from './log/pending.ts';
export { createRunLog, type RunLog, type RunLogOptions } from './log/run-log.ts';
export type { Scheduler } from './log/schedule.ts';
export type {
  AgentState,
  ApprovalState,
  ClientToolCallState,
  PromptTypes,
  RetryState,
  RunFields,
  RunState,
  RunStatus,
  SteerState,
  StepState,
  SubCallState,
  TaskState,
  TextPrompt,
  ToolCallState,
  VariableState,
} from './log/state.ts';

// Runs
export { runPrompt } from './run/run-prompt.ts';
export type { RunPromptResult } from './engine/start-run.ts';
export { createRun } from './run/create-run.ts';
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
export type { RunCommand, RunHandle } from './log/run-handle.ts';
export type { RunStorage } from './storage/run-storage.ts';
export { dryRun } from './run/dry-run.ts';
export type { DryRun, DryRunConfig } from './engine/run-dry-run.ts';
export type { TokenEstimate, TokenPart } from './compile/estimate-tokens.ts';

// Executors: where runs happen
export { inProcess, type InProcessOptions } from './executors/in-process.ts';
export { viaRoute } from './executors/via-route.ts';
export { failedStart } from './executors/failed-start.ts';
export type { Executor, LocalExecutor, RouteExecutor, RunRequest } from './executors/executor.ts';
export type { RouteOptions } from './executors/route-request.ts';
export type { ModelSettings } from './models/settings.ts';
export type { Connectivity } from './provider/connectivity.ts';
export type { UnfinishedCall } from './log/unfinished-step.ts';

// Messages
export { audioPart, filePart, imagePart, textPart } from './messages/parts.ts';
export type { AudioPart, ContentPart, FilePart, ImagePart, TextPart } from './messages/content-part.ts';
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

// Errors
export {
  CuelineError,
  type CuelineErrorCode,
  type ErrorSource,
  type SerializedError,
} from './base/errors.ts';
