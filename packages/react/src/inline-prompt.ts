import { definePrompt, type PromptDefinition, type PromptFunction } from '@cueline/core';

/**
 * Makes a definition of a function that is written in a component. If it is sent to a server, its error
 * explains what to do.
 */
export function inlinePrompt<Input>(
  hook: NonNullable<PromptDefinition['inline']>,
  id: string | undefined,
  run: PromptFunction<Input>,
): PromptDefinition<Input> {
  return { ...definePrompt(id ?? 'inline', run), inline: hook };
}
