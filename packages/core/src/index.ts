export { CuelineError, type CuelineErrorCode, type SerializedError } from './errors.ts';

export type { Prompt } from './prompt/prompt.ts';
export {
  definePrompt,
  isPromptDefinition,
  type PromptDefinition,
  type PromptFunction,
  type PromptSettings,
} from './prompt/define-prompt.ts';
export { definePlugin, type Plugin, type PluginMethods } from './prompt/define-plugin.ts';
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
export type { PromptTypes, TextPrompt } from './prompt-types.ts';
export { failedStart } from './run/failed-start.ts';
export { inProcess, tell } from './run/in-process.ts';
export { viaRoute, type RouteOptions } from './run/via-route.ts';
export type { Connectivity } from './run/connectivity.ts';
export type { Executor, RunCommand, RunRequest } from './run/executor.ts';
export type { RunStorage } from './run/run-storage.ts';
export type { Limits } from './run/limits.ts';
export type { LiveRun } from './run/live-run.ts';
export type { PromptConfig, PromptOptions, PromptSource } from './run/options.ts';

export {
  LOG_VERSION,
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
export { createUIMessageTranslator, toUIMessageStream } from './log/ui-message-stream.ts';
export { toEventStream, type EventStreamOptions } from './log/event-stream.ts';
export { decodeLink, decodeLog, encodeLink, encodeLog, LINK_BYTES, type LinkPayload } from './log/link.ts';
