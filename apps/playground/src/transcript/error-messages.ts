import type { CuelineErrorCode, SerializedError } from '@cueline/core';

const titles: Partial<Record<CuelineErrorCode, string>> = {
  too_large: 'The run became too large',
  unknown_model: 'This model cannot be found',
  missing_key: 'A key is missing',
  invalid_base_url: 'The base URL cannot be used',
  timeout: 'The run took too long',
  network: 'The model’s server could not be reached',
  auth: 'The provider refused the key',
  model_denied: 'The provider refused this model',
  rate_limited: 'The provider asks to slow down',
  overloaded: 'The provider is overloaded',
  bad_request: 'The provider refused the request',
  context_overflow: 'The conversation is too long for the model',
  interrupted: 'The run was interrupted',
  stream_truncated: 'The answer was cut off',
  stream_malformed: 'The answer could not be read',
  provider_error: 'The provider reported an error',
  script_error: 'The script has an error',
  invalid_definition: 'The script has an error',
  invalid_input: 'The input does not fit the prompt',
  content_filter: 'The model refused to answer',
  tasks_incomplete: 'Tasks were left open',
  budget_exceeded: 'The run reached a limit',
  loop_detected: 'The model repeated the same call',
  parse_failed: 'An answer did not have the required format',
  not_recorded: 'The recording has no such request',
  invalid_parameter: 'A value does not fit the prompt',
  sandbox_unresponsive: 'The script stopped responding',
  sandbox_refused: 'The script tried something that it may not do',
};

/** True if a session ended because it had used all its turns. */
export function isOutOfTurns({ code, details }: SerializedError): boolean {
  return code === 'budget_exceeded' && details?.['limit'] === 'turns';
}

/** The page's description of a run's error. */
export function errorMessage({ code, message }: SerializedError): string {
  if (code !== 'interrupted') return message;
  return 'The page was closed or reloaded while this run was in progress. What had arrived is kept.';
}

/** A run's error in a few words; its message says the rest. */
export function errorTitle(error: SerializedError): string {
  if (isOutOfTurns(error)) return 'The session ran out of turns';
  if (isWrongAddress(error)) return 'The model’s address looks wrong';
  return titles[error.code] ?? 'The run failed';
}

/** True if the answer did not come from a model's API: a web page, a redirect, or an unknown path. */
function isWrongAddress({ code, message }: SerializedError): boolean {
  if (code === 'redirect_blocked') return true;
  if (code === 'provider_error') return message.includes('answered with a web page');
  // A server that knows the path names the missing model.
  return code === 'model_denied' && /\(404\)(?:: (?:(?:404 page )?not found)?)?\. /i.test(message);
}

const modelCodes: ReadonlySet<CuelineErrorCode> = new Set([
  'unknown_model',
  'missing_key',
  'invalid_base_url',
  'network',
  'auth',
  'model_denied',
]);

/** True if the model dialog is the place to fix it. */
export function isFixedInModelDialog(error: SerializedError): boolean {
  return modelCodes.has(error.code) || isWrongAddress(error);
}
