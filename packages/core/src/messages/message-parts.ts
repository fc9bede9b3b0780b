import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import type { ContentPart, FilePart, ImagePart, TextPart } from './content-part.ts';
import type { ToolOutput } from './read-tool-output.ts';

/** What a model thought before it answered. */
export type ReasoningPart = { type: 'reasoning'; text: string; providerOptions?: ProviderOptions };

/** A call of a tool that a model made. */
export type ToolCallPart = {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  /** The arguments, by name. */
  input: object;
  providerOptions?: ProviderOptions;
};

/** What a tool returned. The call stands in a message before. */
export type ToolResultPart = {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ToolOutput;
  providerOptions?: ProviderOptions;
};

/** Why a tool failed. The call stands in a message before. */
export type ToolErrorPart = {
  type: 'tool-error';
  toolCallId: string;
  toolName: string;
  error: string;
  providerOptions?: ProviderOptions;
};

/** A part of what the user says. */
export type UserPart = ContentPart;

/** A part of what the model said. */
export type AssistantPart = TextPart | ImagePart | FilePart | ReasoningPart | ToolCallPart;

/** A part of a message in which tools answer. */
export type ToolPart = ToolResultPart | ToolErrorPart;

/** What a message of each role can hold. */
export type MessageContent = {
  user: string | readonly UserPart[];
  assistant: string | readonly AssistantPart[];
  tool: readonly ToolPart[];
};

/** Who can say something in the conversation that a run starts with. */
export type MessageRole = keyof MessageContent;
