import { CuelineError } from '../base/errors.ts';
import { isUnawaited } from '../base/is-promise.ts';
import type { LanguageModelObject } from './settings.ts';

/** Returns the model if the AI SDK can call it. `what` names it in the error. */
export function checkModel(model: unknown, what: string): LanguageModelObject {
  if (typeof model === 'object' && model !== null) {
    const { specificationVersion: version } = model as { specificationVersion?: unknown };
    if (version === 'v2' || version === 'v3' || version === 'v4') return model as LanguageModelObject;
    if ('doStream' in model || 'doGenerate' in model) {
      throw new CuelineError(
        'invalid_options',
        `${what} was made for version 4 or older of the AI SDK (specification ` +
          `${typeof version === 'string' ? version : 'v1'}). Update its provider package, or write ` +
          "provider:model, such as 'openai:gpt-4o'.",
      );
    }
  }
  if (isUnawaited(model))
    throw new CuelineError('invalid_options', `${what} is a promise of a model. Write await before it.`);
  throw new CuelineError(
    'invalid_options',
    `${what} is not a language model, but ${describe(model)}. Pass provider:model, such as ` +
      "'openai:gpt-4o', an alias, or a LanguageModel object.",
  );
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' ? 'an object without doStream' : `a ${typeof value}`;
}
