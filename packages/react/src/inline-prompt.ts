import { definePrompt, type PromptDefinition, type PromptFunction } from '@cueline/core';

/** A function that stands in a component as a definition, which says so where it is sent to a server. */
export function inlinePrompt<Input>(
  hook: NonNullable<PromptDefinition['inline']>,
  id: string | undefined,
  run: PromptFunction<Input>,
): PromptDefinition<Input> {
  return { ...definePrompt(id ?? 'inline', run), inline: hook };
}
