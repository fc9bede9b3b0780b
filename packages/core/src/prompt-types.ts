import type { ToolCallState } from './log/state.ts';

/**
 * What TypeScript knows of a prompt and its runs: the answer, the answer while it arrives, and the calls of the tools
 * that it declares.
 */
export type PromptTypes = { output: unknown; object: unknown; toolCall: ToolCallState };

/** A prompt that answers with text and declares no tools. */
export type TextPrompt = { output: string; object: undefined; toolCall: ToolCallState };
