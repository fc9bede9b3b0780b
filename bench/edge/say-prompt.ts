import { definePrompt, type PromptDefinition } from '@cueline/core';

/** Words of each run. */
export const WORDS = 300;

/** The prompt whose runs are read, in process and by a route. */
export const say: PromptDefinition = definePrompt('say', (prompt) => {
  prompt.$`Say something.`;
});
