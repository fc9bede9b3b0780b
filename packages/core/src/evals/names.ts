import type { LanguageModel } from 'ai';
import type { PromptDefinition } from '../prompt/define-prompt.ts';

/**
 * Returns a model's name: the text that was passed, or `provider:model` of a model object. Without a model, an empty
 * text.
 */
export function modelName(model: string | LanguageModel | undefined): string {
  if (model === undefined) return '';
  return typeof model === 'string' ? model : `${model.provider}:${model.modelId}`;
}

/** Returns the name of a prompt, with the version of a library's prompt. */
export function promptTitle({ name, library }: PromptDefinition<never>): string {
  return library === undefined ? name : `${name}@${library.version}`;
}

/** Makes names unique: of three `a`, the others become `a 2` and `a 3`. */
export function numberNamesakes(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; taken.has(unique); number++) unique = `${name} ${number}`;
    taken.add(unique);
    return unique;
  });
}
