export { usePrompt, type PromptRun, type UsePromptOptions } from './use-prompt.ts';
export { PromptProvider, type PromptProviderProps } from './prompt-provider.tsx';
export { createRunRegistry, type RunRegistry } from './run-registry.ts';
export type { RunConfig, RunDefaults, SharedRun } from './shared-run.ts';
export type { RunCallbacks } from './use-run-callbacks.ts';
