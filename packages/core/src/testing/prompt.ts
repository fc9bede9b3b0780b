import type { RunPromptResult } from '../engine/start-run.ts';
import { PromptBuilder } from '../prompt/prompt-builder.ts';
import type { Prompt as PromptMethods } from '../prompt/prompt.ts';

export type Prompt = PromptMethods;
/** A prompt without a run. `definitions` has what its methods have defined. */
export const Prompt: new () => RunPromptResult['prompt'] = PromptBuilder;
