import type { JSONObject, LanguageModelV4Citation } from '@ai-sdk/provider';
import type { FinishReason, LanguageModelUsage, ModelMessage, ProviderMetadata, UIMessage } from 'ai';
import type { ErrorSource, SerializedError } from '../base/errors.ts';
import type { ToolEffect } from '../tools/tool-definition.ts';
import type { TaskEvent } from '../tasks/task.ts';

/** Version of the event format, written into every `run-start`. */
export const LOG_VERSION = 1;

/** How a run ended. `waiting` means that it needs an answer before it can go on. */
export type RunOutcome = 'done' | 'stopped' | 'error' | 'waiting';

/** A tool as the model sees it. `inputSchema` is JSON Schema. */
export type RequestTool = { name: string; description?: string; inputSchema: unknown };

/** What one step sends to the model, as plain JSON. */
export type CompiledRequest = {
  /** `provider:model`, as the AI SDK's model object names itself. */
  model: string;
  /** The whole system prompt; where it is several messages, they are joined with blank lines. */
  instructions: string;
  messages: ModelMessage[];
  /** The tools that are active in this step, in the order in which the model gets them. */
  tools: RequestTool[];
  /** Call settings that were set: temperature, maxOutputTokens, toolChoice, … */
  settings: Record<string, unknown>;
};

/**
 * A step's request as the log keeps it: `keep` says how many messages of the step before still stand at the front,
 * and every other field is there only where it differs from the step before, so that a long run's log stays linear.
 */
export type RequestChange = { keep: number; messages: ModelMessage[] } & Partial<
  Omit<CompiledRequest, 'messages'>
>;

/** The answer to an approval. `input` replaces the arguments that the model gave. */
export type ApprovalAnswer = { approve: true; input?: unknown } | { approve: false; reason?: string };

/** The answer to a client tool's call: what it returned, as JSON, or the error that the model reads. */
export type ClientToolAnswer =
  | { output: unknown; approve?: undefined }
  | { error: string; approve?: undefined };

/** The answer to a request: to one of kind `approval`, or to one of kind `client-tool`. */
export type RequestAnswer = ApprovalAnswer | ClientToolAnswer;

/** A run asks whoever watches it, and is told. */
export type RequestEvent =
  | {
      type: 'request-open';
      requestId: string;
      /** `approval`: may this call run? `client-tool`: the page has to run this call. */
      kind: 'approval' | 'client-tool';
      toolCallId: string;
      toolName: string;
      input: unknown;
      /** Why it is asked: the reason that `toolApproval` gives, or what was wrong with the arguments of the answer before. */
      fault?: string;
      /** Of a client tool: what its call does to the world, where the tool says so. */
      effect?: ToolEffect;
      /** The provider asks, and runs the call itself once it is approved, with the arguments as they are. */
      providerExecuted?: true;
    }
  /** A page has begun to run the call of a client tool. `page` is the id of that page. */
  | { type: 'request-begin'; requestId: string; page: string }
  | { type: 'request-answer'; requestId: string; answer: RequestAnswer }
  /** Nobody need answer it any more: its call ran out of time, or the agent that made it did. */
  | { type: 'request-withdraw'; requestId: string };

/** What an event says, without its place in the log. */
export type RunEventBody =
  | {
      type: 'run-start';
      v: typeof LOG_VERSION;
      runId: string;
      /** The definition's name, where it has one. */
      name?: string;
      /** `provider:model`. */
      model: string;
      /** True where the answers come from an embedded model that is no real one. */
      simulated?: boolean;
      input?: unknown;
      /** The conversation that the run starts with: the script's own messages, then earlier turns. */
      messages: readonly UIMessage[];
      /** How many of the messages, from the end, are earlier turns. */
      turns?: number;
      /** Id of the assistant message that this run writes. */
      messageId: string;
      /** True where the answer is to be JSON, as the prompt's output schema asks for. */
      structured?: true;
      /** Starting again with the same key is the same start. */
      key?: string;
    }
  /** A run that had ended goes on after its last whole step; from here on it has this id. */
  | { type: 'run-resume'; runId: string; model: string; simulated?: boolean; key?: string }
  | { type: 'variable-set'; name: string; kind: 'text' | 'data'; value: string }
  /** The task that had defined it is over. */
  | { type: 'variable-unset'; name: string }
  | { type: 'step-start'; step: number; request: RequestChange }
  | { type: 'text-start'; id: string; providerMetadata?: ProviderMetadata }
  | { type: 'text-delta'; id: string; text: string; providerMetadata?: ProviderMetadata }
  | {
      type: 'text-end';
      id: string;
      /** What supports the text, where the provider says so. */
      citations?: LanguageModelV4Citation[];
      providerMetadata?: ProviderMetadata;
    }
  | { type: 'reasoning-start'; id: string; providerMetadata?: ProviderMetadata }
  | { type: 'reasoning-delta'; id: string; text: string; providerMetadata?: ProviderMetadata }
  | { type: 'reasoning-end'; id: string; providerMetadata?: ProviderMetadata }
  /** `inputEncoding` is `text` where the deltas are the argument itself and not JSON. */
  | ({
      type: 'tool-input-start';
      toolCallId: string;
      toolName: string;
      inputEncoding?: 'json' | 'text';
    } & ToolCallFacts)
  | { type: 'tool-input-delta'; toolCallId: string; delta: string }
  /**
   * The arguments are whole. `invalid` says why they cannot be used, in the words of `source`; such a call is not run.
   */
  | ({
      type: 'tool-input-end';
      toolCallId: string;
      toolName: string;
      input: unknown;
      invalid?: string;
      source?: ErrorSource;
    } & ToolCallFacts)
  /** `effect` is what the call does to the world, where its tool says so: it decides on what follows where no end does. */
  | { type: 'tool-start'; toolCallId: string; toolName: string; effect?: ToolEffect }
  | { type: 'tool-preliminary'; toolCallId: string; output: unknown; providerMetadata?: ProviderMetadata }
  /**
   * `ms` is how long the tool itself ran; missing where the provider ran it. `repeated`: the tool did not run, and the
   * output is that of the same call before.
   */
  | ({ type: 'tool-end'; toolCallId: string; output: unknown; ms?: number; repeated?: true } & ToolCallFacts)
  /** `source` says whose words the error has. */
  | ({
      type: 'tool-error';
      toolCallId: string;
      error: string;
      source?: ErrorSource;
      ms?: number;
    } & ToolCallFacts)
  /** `options.toolApproval` has decided on a call by itself; a call that it refuses ends with a `tool-error`. */
  | { type: 'tool-approval'; toolCallId: string; approvalId: string; approved: boolean; reason?: string }
  /** One call inside a composite tool's call; `index` is its place among them. */
  | { type: 'sub-call-start'; toolCallId: string; index: number; name: string; input: unknown }
  /** `error` is there where it failed, in the words of `source`, and then no output. */
  | {
      type: 'sub-call-end';
      toolCallId: string;
      index: number;
      output?: unknown;
      error?: string;
      source?: ErrorSource;
      /** As of a tool's end. */
      repeated?: true;
      ms: number;
    }
  /**
   * An agent begins its work on a tool call. This and everything that it does stands in the log under its `agent` path.
   */
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
  | RequestEvent
  /**
   * The model was told something between two steps, because it had stopped too early: tasks are open, or its output does
   * not fit the schema. `session` and `call`: by the session or the agent call that it works in. `correction`: by
   * these, because the step before cannot be used; later turns hear neither of it nor of these words. `user`: by
   * whoever has the run's steering object.
   */
  | {
      type: 'steer';
      id: string;
      cause: 'tasks' | 'output' | 'session' | 'call' | 'correction' | 'user';
      text: string;
    }
  | { type: 'source'; source: SourceFacts }
  /** Content that only its provider understands, and that it expects back with the next request. */
  | { type: 'custom'; kind: `${string}.${string}`; providerMetadata?: ProviderMetadata }
  | { type: 'file'; mediaType: string; url: string; reasoning?: boolean; providerMetadata?: ProviderMetadata }
  /** `source` is there where it has the words of what was thrown. */
  | { type: 'warning'; message: string; source?: ErrorSource }
  /**
   * A model call failed and is tried again. With `attempt`, nothing of its answer had been seen. Without it
   * (`options.streamRetries`) the answer broke off, and everything between the step's start and this event is void: no
   * part of the answer, of the messages or of a later request.
   */
  | {
      type: 'retry';
      error: SerializedError;
      /** Which try comes next, from 2, and how many there are at most. Missing for `options.streamRetries`. */
      attempt?: number;
      maxAttempts?: number;
      /** When it comes, in milliseconds after this event; without a network, at the latest. */
      delayMs?: number;
      /** There is no network: the next try comes once there is one. */
      offline?: boolean;
    }
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

/** Facts that providers attach to a tool call, kept so that a conversation can be continued. */
export type ToolCallFacts = {
  providerExecuted?: boolean;
  dynamic?: boolean;
  title?: string;
  /** What the tool's definition says of itself besides, such as the annotations of an MCP server. */
  toolMetadata?: JSONObject;
  providerMetadata?: ProviderMetadata;
};

/** Where a statement of the model comes from. */
export type SourceFacts =
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
 * One thing that happened in a run. The log of a run is a list of these, append-only and plain JSON;
 * everything that is shown of a run is made from it.
 */
export type RunEvent = {
  /** 0, 1, 2, … without gaps. */
  seq: number;
  /** Milliseconds since `run-start`; never smaller than the event before. */
  t: number;
  /** Which agent did it: the ids of the tool calls that lead to it, joined with `/`. Missing for the run itself. */
  agent?: string;
} & RunEventBody;
