import { CuelineError } from '../errors.ts';
import { createModels } from '../models/create-models.ts';
import { toRunError } from '../models/run-error.ts';
import type { ModelSettings } from '../models/settings.ts';

/** What a prompt function threw: errors of ours and of the AI SDK's as they are, others as the script's. */
export function toScriptError(error: unknown, models: ModelSettings): CuelineError {
  if (error instanceof Error && !error.name.startsWith('AI_')) {
    return new CuelineError('script_error', `The prompt function threw: ${error.message}`, { cause: error });
  }
  return toRunError(error, createModels(models).secrets());
}
