import { definePrompt, type PromptDefinition, type PromptFunction } from '@cueline/core';

/**
 * Makes a definition of a function that stands in a component. Its error explains this when it is sent to a server.
 */
export function inlinePrompt<Input>(
  hook: NonNullable<PromptDefinition['inline']>,
  id: string | undefined,
  run: PromptFunction<Input>,
): PromptDefinition<Input> {
  return { ...definePrompt(id ?? 'inline', run), inline: hook };
}
