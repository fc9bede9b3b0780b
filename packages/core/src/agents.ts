// Sessions and agent calls, in an entry of their own, so that only a page that uses them loads them.
export {
  defineSession,
  runAgentSession,
  type AgentSession,
  type SessionTypes,
} from './agents/session/agent-session.ts';
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
  CompletionReason,
  ErrorInfo,
  SessionCallbacks,
  SessionPhase,
  SessionResult,
  ToolCallInfo,
  ToolResultInfo,
} from './agents/session/session-callbacks.ts';
export type { SessionModel } from './agents/session/session-model.ts';
export type { Completion } from './agents/session/task-complete.ts';

export { defineAgent } from './agents/call/define-agent.ts';
export type {
  Agent,
  AgentClassifyOptions,
  AgentInput,
  AgentTypes,
  BinaryClassification,
  CallOptions,
  CallResult,
  Classification,
  ClassifyOptions,
} from './agents/call/agent.ts';
export type {
  AgentCallOptions,
  AgentConfig,
  AgentTools,
  CallException,
  CallInterrupt,
  ExceptionHandler,
  InterruptHandler,
  OutputConfig,
  OutputOf,
  ParseFunction,
} from './agents/call/agent-config.ts';
export type { CallErrorDetails } from './agents/call/call-error.ts';
export type { CallEvent, CallState } from './agents/call/call-state.ts';
export type { CallTrace } from './agents/record-tool-calls.ts';
export { classify, classifyBinary } from './agents/call/classify.ts';
export type { Dialog, DialogAddition, DialogJSON } from './agents/call/dialog.ts';
export { tags, type Tags, type TagValues } from './agents/tags/tags.ts';
export { createDialog, dialogFromJSON } from './agents/call/dialog.ts';
export { agents, createAgentRegistry, type AgentRegistry } from './agents/call/registry.ts';
