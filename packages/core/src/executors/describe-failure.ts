import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { createModels } from '../models/create-models.ts';
import { redact } from '../json/redact.ts';
import { toRunError } from '../models/run-error.ts';
import type { ModelSettings } from '../models/settings.ts';
import { toJson } from '../messages/to-json.ts';

/** What the log says of a run that could not start: why, and what it was to start with, both without keys. */
export function describeFailure(
  error: unknown,
  input: unknown,
  models: ModelSettings,
): { error: CuelineError; input: unknown } {
  const secrets = createModels(models).secrets();
  return {
    error: CuelineError.isInstance(error) ? error : toScriptError(error, secrets),
    input: input === undefined ? undefined : toJson(input, secrets),
  };
}

/** What a prompt function threw: errors of the AI SDK's as they are, others as the script's. */
function toScriptError(error: unknown, secrets: readonly string[]): CuelineError {
  if (isOfAiSdk(error)) {
    const { code, message, details, cause } = toRunError(error, secrets);
    return new CuelineError(code, message, { details, cause, source: 'prompt' });
  }
  const { code, message } = scriptError('The prompt function', error, 'prompt');
  return new CuelineError(code, redact(message, secrets), { cause: error, source: 'prompt' });
}

function isOfAiSdk(error: unknown): boolean {
  try {
    return error instanceof Error && error.name.startsWith('AI_');
  } catch {
    // a getter or a proxy that throws
    return false;
  }
}
