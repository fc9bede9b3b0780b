import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import type { ContentPart, FilePart, ImagePart, TextPart } from './content-part.ts';
import type { ToolOutput } from './read-tool-output.ts';

/** A model's reasoning before its answer. */
export type ReasoningPart = {
  type: 'reasoning';
  text: string;
  providerOptions?: ProviderOptions | undefined;
};

/** A tool call of a model. */
export type ToolCallPart = {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  /** The arguments, by name. */
  input: object;
  providerOptions?: ProviderOptions | undefined;
};

/** A tool's result. Its call is in an earlier message. */
export type ToolResultPart = {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ToolOutput;
  providerOptions?: ProviderOptions | undefined;
};

/** A tool's error. Its call is in an earlier message. */
export type ToolErrorPart = {
  type: 'tool-error';
  toolCallId: string;
  toolName: string;
  error: string;
  providerOptions?: ProviderOptions | undefined;
};

/** A part of a user's message. */
export type UserPart = ContentPart;

/** A part of a model's message. */
export type AssistantPart = TextPart | ImagePart | FilePart | ReasoningPart | ToolCallPart;

/** A part of a tool's message. */
export type ToolPart = ToolResultPart | ToolErrorPart;

/** The content of a message, by role. */
export type MessageContent = {
  user: string | readonly UserPart[];
  assistant: string | readonly AssistantPart[];
  tool: readonly ToolPart[];
};

/** The roles of the conversation that a run starts with. */
export type MessageRole = keyof MessageContent;
