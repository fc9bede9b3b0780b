import type { JSONObject, LanguageModelV4Citation } from '@ai-sdk/provider';
import type {
  FileUIPart,
  FinishReason,
  LanguageModelUsage,
  ModelMessage,
  ProviderMetadata,
  TextUIPart,
  UIMessage,
} from 'ai';
import type { ErrorSource, SerializedError } from '../base/errors.ts';
import type { TaskEvent } from '../tasks/task-item.ts';
import type { ToolEffect } from '../tools/tool-types.ts';

/** Version of the event format, written into every `run-start`. */
export const LOG_VERSION = 2;

/** The part of a provider's usage that counts here. */
export type TokenUsage = {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  totalTokens?: number | undefined;
};

/** How a run ended. `waiting` means that it needs an answer before it can continue. */
export type RunOutcome = 'done' | 'stopped' | 'error' | 'waiting';

/** A tool as the model sees it. `inputSchema` is JSON Schema. */
export type RequestTool = { name: string; description?: string; inputSchema: unknown };

/** The part of the system prompt that one definition makes. `start` and `end` are positions in the text. */
export type InstructionPart = { kind: 'variable' | 'system'; name: string; start: number; end: number };

/** The request of one step, as plain JSON. */
export type CompiledRequest = {
  /** `provider:model`, from the AI SDK's model object. */
  model: string;
  /** The whole system prompt; several messages are joined with blank lines. */
  instructions: string;
  /**
   * What each definition makes of the system prompt, in order. Missing if none does, and in logs of earlier versions.
   */
  instructionParts?: InstructionPart[];
  messages: ModelMessage[];
  /** The active tools of this step, in the order in which the model gets them. */
  tools: RequestTool[];
  /** Call settings that were set: temperature, maxOutputTokens, toolChoice, … */
  settings: Record<string, unknown>;
};

/**
 * A step's request as the log keeps it. `keep` is the number of messages at the front that are the same as in the step
 * before. Every other field is present only if it differs from the step before, so that a long run's log stays linear.
 */
export type RequestChange = { keep: number; messages: ModelMessage[] } & Partial<
  Omit<CompiledRequest, 'messages'>
>;

/** The response to an approval. `input` replaces the arguments that the model gave. */
export type ApprovalResponse =
  | { approved: true; input?: unknown }
  | { approved: false; reason?: string | undefined };

/** The response to a client tool's call: its output as JSON, or the error that the model reads. */
export type ClientToolResponse = { output: unknown } | { error: string };

/** Approvals of tool calls, and their responses. */
export type ApprovalEvent =
  /** The run waits for a response before this call runs. */
  | {
      type: 'approval-request';
      approvalId: string;
      toolCallId: string;
      toolName: string;
      input: unknown;
      /** Why it is asked: the reason of `toolApproval`, or what was wrong with the arguments of the last response. */
      reason?: string;
      /** The provider asks, and runs the call itself once it is approved, with unchanged arguments. */
      providerExecuted?: true;
    }
  | { type: 'approval-response'; approvalId: string; response: ApprovalResponse }
  /** The approval needs no response any more: its call, or the agent that made it, ran out of time. */
  | { type: 'approval-withdraw'; approvalId: string }
  /** `options.toolApproval` has decided on a call by itself. A refused call ends with a `tool-error`. */
  | {
      type: 'approval-automatic';
      approvalId: string;
      toolCallId: string;
      approved: boolean;
      reason?: string;
    };

/** Calls of client tools, which a page runs. */
export type ClientToolEvent =
  /** The run waits for a page to run this call. */
  | {
      type: 'client-tool-request';
      clientCallId: string;
      toolCallId: string;
      toolName: string;
      input: unknown;
      /** The effect of the call, if the tool declares it. */
      effect?: ToolEffect;
      /** The same as for a tool's start. */
      idempotent?: true;
    }
  /** A page has started to run the call. `page` is the id of that page. */
  | { type: 'client-tool-claim'; clientCallId: string; page: string }
  | { type: 'client-tool-response'; clientCallId: string; response: ClientToolResponse }
  /** The call needs no response any more: it, or the agent that made it, ran out of time. */
  | { type: 'client-tool-withdraw'; clientCallId: string };

/** Which version of which prompt of a library. */
export type PromptVersion = {
  id: string;
  version: string;
  /** SHA-256 of the texts and parameters, in hexadecimal. */
  hash: string;
};

/** An event without its place in the log. */
export type RunEventBody =
  | {
      type: 'run-start';
      v: typeof LOG_VERSION;
      runId: string;
      /** The definition's name, if it has one. */
      name?: string;
      /** The version that a prompt library has of this prompt, and the hash of its content. */
      library?: PromptVersion;
      /** `provider:model`. */
      model: string;
      /** True if the answers come from the embedded demo model. */
      simulated?: boolean;
      input?: unknown;
      /** The conversation that the run starts with: the prompt's own messages, then earlier turns. */
      messages: readonly UIMessage[];
      /** How many of the messages, from the end, are earlier turns. */
      turns?: number;
      /** Id of the assistant message that this run writes. */
      messageId: string;
      /** True if the answer is JSON, because the prompt has an output schema. */
      structured?: true;
      /** Starting again with the same key is the same start. */
      key?: string;
    }
  /** A run that had ended continues after its last complete step, with this id from here on. */
  | { type: 'run-resume'; runId: string; model: string; simulated?: boolean; key?: string }
  | { type: 'variable-set'; name: string; kind: 'text' | 'data'; value: string }
  /** The task that defined the variable is over. */
  | { type: 'variable-unset'; name: string }
  /**
   * A hook has run before a step and returned changes. `index` is its position among the hooks of the step: those of
   * the prompt, then those of the current task, which is `taskId` for them. `changed` names the fields that it
   * returned; their values are in the request of the step.
   */
  | { type: 'hook'; step: number; index: number; taskId?: string; changed: string[] }
  | { type: 'step-start'; step: number; request: RequestChange }
  /** `edited`: the text was written by a person with `editLog`, and not by the model. */
  | { type: 'text-start'; id: string; edited?: true; providerMetadata?: ProviderMetadata }
  | { type: 'text-delta'; id: string; text: string; providerMetadata?: ProviderMetadata }
  | {
      type: 'text-end';
      id: string;
      /** The provider's citations for the text. */
      citations?: LanguageModelV4Citation[];
      providerMetadata?: ProviderMetadata;
    }
  | { type: 'reasoning-start'; id: string; providerMetadata?: ProviderMetadata }
  | { type: 'reasoning-delta'; id: string; text: string; providerMetadata?: ProviderMetadata }
  | { type: 'reasoning-end'; id: string; providerMetadata?: ProviderMetadata }
  /** `inputEncoding` is `text` if the deltas are the argument itself and not JSON. */
  | ({
      type: 'tool-input-start';
      toolCallId: string;
      toolName: string;
      inputEncoding?: 'json' | 'text';
    } & ToolCallMetadata)
  | { type: 'tool-input-delta'; toolCallId: string; delta: string }
  /**
   * The arguments are complete. `invalid` is the reason why they cannot be used, from `source`; such a call does not
   * run.
   */
  | ({
      type: 'tool-input-end';
      toolCallId: string;
      toolName: string;
      input: unknown;
      invalid?: string;
      source?: ErrorSource;
    } & ToolCallMetadata)
  /**
   * `effect` is the tool's effect, if it declares one; `idempotent`: the call may be made twice. They decide what
   * happens to a call without an end.
   */
  | { type: 'tool-start'; toolCallId: string; toolName: string; effect?: ToolEffect; idempotent?: true }
  | { type: 'tool-preliminary'; toolCallId: string; output: unknown; providerMetadata?: ProviderMetadata }
  /**
   * `ms` is how long the tool itself ran; missing if the provider ran it. `repeated`: the tool did not run, and the
   * output is that of the same call before. `edited`: a person wrote this output with `editLog`.
   */
  | ({
      type: 'tool-end';
      toolCallId: string;
      output: unknown;
      ms?: number;
      repeated?: true;
      edited?: true;
    } & ToolCallMetadata)
  /** `source` is the origin of the error's text. `edited`: a person wrote it with `editLog`. */
  | ({
      type: 'tool-error';
      toolCallId: string;
      error: string;
      source?: ErrorSource;
      ms?: number;
      edited?: true;
    } & ToolCallMetadata)
  /** One call inside a composite tool's call; `index` is its position among them. */
  | { type: 'sub-call-start'; toolCallId: string; index: number; name: string; input: unknown }
  /** `error` is present if the call failed, with its `source`; then there is no output. */
  | {
      type: 'sub-call-end';
      toolCallId: string;
      index: number;
      output?: unknown;
      error?: string;
      source?: ErrorSource;
      /** The same as for a tool's end. */
      repeated?: true;
      ms: number;
    }
  /** An agent starts to answer a tool call. This event and all events of the agent have its `agent` path. */
  | {
      type: 'agent-start';
      /** The tool's name. */
      name: string;
      /** The call that it answers. */
      toolCallId: string;
      /** `provider:model`. */
      model: string;
      input: unknown;
      messages: readonly UIMessage[];
      messageId: string;
    }
  | {
      type: 'agent-end';
      outcome: 'done' | 'stopped' | 'error';
      finishReason?: FinishReason;
      /** The validated object of an agent with a response schema. */
      output?: unknown;
      error?: SerializedError;
    }
  | TaskEvent
  | ApprovalEvent
  | ClientToolEvent
  /**
   * A message to the model between two steps, because it had stopped too early: tasks are open, or its output
   * does not fit the schema. `session` and `call`: from the session or the agent call. `correction`: from
   * these, because the step before cannot be used; later turns contain neither the step nor this message.
   * `user`: from the owner of the run's steering object.
   */
  | {
      type: 'steer';
      id: string;
      cause: 'tasks' | 'output' | 'session' | 'call' | 'correction' | 'user';
      text: string;
      /** The whole message if it has a file, which only a message of the user can have. */
      parts?: (TextUIPart | FileUIPart)[];
    }
  | { type: 'source'; source: AnswerSource }
  /** Content that only its provider understands, and that it expects back with the next request. */
  | { type: 'custom'; kind: `${string}.${string}`; providerMetadata?: ProviderMetadata }
  | { type: 'file'; mediaType: string; url: string; reasoning?: boolean; providerMetadata?: ProviderMetadata }
  /** `source` is present if the message quotes a thrown error. */
  | { type: 'warning'; message: string; source?: ErrorSource }
  /**
   * A model call failed and is tried again. With `attempt`, nothing of its answer had been visible. Without it
   * (`options.streamRetries`) the answer was cut off, and everything between the step's start and this event is
   * void: not part of the answer, of the messages or of a later request.
   */
  | {
      type: 'retry';
      error: SerializedError;
      /** The number of the next attempt, from 2, and the maximum. Missing for `options.streamRetries`. */
      attempt?: number;
      maxAttempts?: number;
      /** Milliseconds from this event to the next attempt; without a network, at the latest. */
      delayMs?: number;
      /** True if there is no network, and the next attempt starts once there is one. */
      offline?: boolean;
      /** The tokens that the provider has reported for the failed call. */
      usage?: TokenUsage;
    }
  /**
   * The model's answer is whole, and its tokens count. Only for answers that call tools: a run that is advanced step
   * by step logs it before any of them starts, another one only if the step will not end, because the run or the
   * agent ends.
   */
  | { type: 'model-call-end'; finishReason: FinishReason; usage: LanguageModelUsage }
  | {
      type: 'step-end';
      step: number;
      finishReason: FinishReason;
      usage: LanguageModelUsage;
      providerMetadata?: ProviderMetadata;
    }
  | {
      type: 'run-end';
      outcome: RunOutcome;
      finishReason?: FinishReason;
      /** The validated object of a prompt with an output schema. */
      output?: unknown;
      error?: SerializedError;
    };

/** What providers attach to a tool call, kept so that a conversation can be continued. */
export type ToolCallMetadata = {
  providerExecuted?: boolean;
  dynamic?: boolean;
  title?: string;
  /** What the tool's definition declares besides, such as the annotations of an MCP server. */
  toolMetadata?: JSONObject;
  providerMetadata?: ProviderMetadata;
};

/** The source of a statement of the model. */
export type AnswerSource =
  | { sourceType: 'url'; id: string; url: string; title?: string; providerMetadata?: ProviderMetadata }
  | {
      sourceType: 'document';
      id: string;
      mediaType: string;
      title: string;
      filename?: string;
      providerMetadata?: ProviderMetadata;
    };

/**
 * One thing that happened in a run. The log of a run is a list of these, append-only and plain JSON, and
 * everything that is shown of a run is made from it.
 */
export type RunEvent = {
  /** 0, 1, 2, … without gaps. */
  seq: number;
  /** Milliseconds since `run-start`; never smaller than the event before. */
  t: number;
  /**
   * The agent of the event: the ids of the tool calls that lead to it, joined with `/`. Missing for the run itself.
   */
  agent?: string;
} & RunEventBody;

/** True for a log of an earlier version, which `upgradeLog` converts. */
export function isEarlierLog([first]: readonly RunEvent[]): boolean {
  return first?.type === 'run-start' && first.v < LOG_VERSION;
}
