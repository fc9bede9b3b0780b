import { createPromptLibrary } from '@cueline/core/library';

/** The prompts of the front desk, as people who write no code edit them. */
export const library = await createPromptLibrary(new URL('../prompts/front-desk.json', import.meta.url));
