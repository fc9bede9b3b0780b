/** Arguments and result of every tool that a prompt declares, by name. */
export type ToolTypes = Record<string, { input: unknown; output: unknown }>;

/** What TypeScript knows of a prompt: its answer, and the tools that it declares. */
export type PromptTypes = { output: unknown; tools: ToolTypes };

/** A prompt that answers with text and declares no tools. */
export type TextPrompt = { output: string; tools: ToolTypes };
