import type { CurrentModel, ModelSettings } from '@cueline/core/models';
import type { GuardedStep } from './guard.ts';

/** Returns the models with the guard of a step around them, and around what the settings wrap them in. */
export function guardModels(settings: ModelSettings, step: GuardedStep | undefined): ModelSettings {
  if (step === undefined) return settings;
  const { wrapModel = (model: CurrentModel) => model } = settings;
  return { ...settings, wrapModel: (model) => step.wrapModel(wrapModel(model)) };
}
