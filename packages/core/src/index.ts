export { CuelineError, type CuelineErrorCode, type SerializedError } from './errors.ts';

export { Prompt } from './prompt/prompt.ts';
export {
  definePrompt,
  isPromptDefinition,
  type PromptDefinition,
  type PromptFunction,
} from './prompt/define-prompt.ts';
export { definePlugin, type Plugin } from './prompt/define-plugin.ts';
export type { ToolArguments, ToolContext, ToolSchema } from './prompt/tool-definition.ts';
export type { Definitions, SystemPart, Variable } from './prompt/definitions.ts';
export type { SystemFormat } from './compile/instructions.ts';

export { runPrompt, type RunPromptResult } from './run/run-prompt.ts';
export { createRun, type Run, type RunOptions, type SendMessage, type StartOptions } from './run/run.ts';
export { failedStart, inProcess } from './run/in-process.ts';
export type { Executor, RunRequest } from './run/executor.ts';
export type { LiveRun } from './run/live-run.ts';
export type { PromptConfig, PromptOptions, PromptSource } from './run/options.ts';

export {
  LOG_VERSION,
  type CompiledRequest,
  type RequestChange,
  type RequestTool,
  type RunEvent,
  type RunEventBody,
  type RunOutcome,
  type SourceFacts,
  type ToolCallFacts,
} from './log/events.ts';
export type { RunFacts, RunState, RunStatus, StepState, ToolCallState, VariableState } from './log/state.ts';
export { createReducer, initialState, reduce, reduceAll, type Reducer } from './log/reduce.ts';
export { createRunLog, type RunLog, type RunLogOptions } from './log/run-log.ts';
export { nextFrame, type Scheduler } from './log/schedule.ts';
export { createUIMessageTranslator, toUIMessageStream } from './log/ui-message-stream.ts';
export { decodeLink, decodeLog, encodeLink, encodeLog, LINK_BYTES, type LinkPayload } from './log/link.ts';
