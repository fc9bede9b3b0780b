import type { ToolCallState } from '../log/state.ts';

/**
 * The types of a prompt and its runs: the answer, the answer while it arrives, the calls of its declared tools, and
 * its client tools by name, with their arguments and results.
 */
export type PromptTypes = {
  output: unknown;
  object: unknown;
  toolCall: ToolCallState;
  clientTools?: object;
};

/** A prompt that answers with text and declares no tools. */
export type TextPrompt = {
  output: string;
  object: undefined;
  toolCall: ToolCallState;
  clientTools: object;
};
