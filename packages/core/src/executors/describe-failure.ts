import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { redact } from '../json/redact.ts';
import { toJson } from '../messages/to-json.ts';
import { bindModels } from '../models/create-models.ts';
import { isOfAiSdk, toRunError } from '../models/run-error.ts';
import type { ModelSettings } from '../models/settings.ts';

/** Returns the error and the input, both without keys, for the log of a run that could not start. */
export function describeFailure(
  error: unknown,
  input: unknown,
  models: ModelSettings,
): { error: CuelineError; input: unknown } {
  const secrets = bindModels(models).secrets();
  return {
    error: CuelineError.isInstance(error) ? error : toScriptError(error, secrets),
    input: input === undefined ? undefined : toJson(input, secrets),
  };
}

/** Returns the error that a prompt function threw: an error of the AI SDK as it is, any other as one of the app. */
function toScriptError(error: unknown, secrets: readonly string[]): CuelineError {
  if (isOfAiSdk(error)) {
    const { code, message, details, cause } = toRunError(error, secrets);
    return new CuelineError(code, message, { details, cause, source: 'prompt' });
  }
  const { code, message } = scriptError('The prompt function', error, 'prompt');
  return new CuelineError(code, redact(message, secrets), { cause: error, source: 'prompt' });
}
