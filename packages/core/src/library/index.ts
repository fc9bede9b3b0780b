export {
  createPromptLibrary,
  type LibraryPromptSettings,
  type PromptLibrary,
  type PromptLibraryOptions,
  type PromptLibrarySource,
  type PromptParameters,
} from './create-library.ts';
export { defineTests, type PromptTest } from './define-tests.ts';
export type { ParameterSchema } from './input-schema.ts';
export type { PromptId, PromptInput, PromptReference } from './input-types.ts';
export type { MCPPrompt, MCPPromptClient, MCPPromptResult, MCPPrompts } from './mcp.ts';
export { packagedPrompts } from './packaged-prompts.ts';
export { newPromptId, promptIds } from './prompt-ids.ts';
export type {
  LibraryParameter,
  LibraryPrompt,
  ParameterType,
  ParameterValue,
  PromptParameter,
  PromptRecord,
  PromptStatus,
} from './prompt-record.ts';
export { promptFileSchema } from './prompt-schema.ts';
export type { LibraryIssue } from './read-prompts.ts';
export { sanitizeInput, sanitizeOutput } from './sanitize.ts';
export { createPromptSearch, type FoundPrompt, type PromptSearch, type SearchOptions } from './search.ts';
