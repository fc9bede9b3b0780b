import type { LanguageModel } from 'ai';
import type { LanguageModelObject } from '../models/settings.ts';
import type { Conduct } from './conduct.ts';

const made = new WeakMap<Conduct, WeakMap<LanguageModelObject, LanguageModelObject>>();

/** A step's model with what the conduct puts around it; of the same model always the same one. */
export function conductedModel(model: LanguageModel, conduct: Conduct | undefined): LanguageModel {
  if (conduct?.model === undefined || typeof model === 'string') return model;
  const known = made.get(conduct) ?? new WeakMap<LanguageModelObject, LanguageModelObject>();
  made.set(conduct, known);
  const wrapped = known.get(model) ?? conduct.model(model);
  known.set(model, wrapped);
  return wrapped;
}
