import type { CuelineErrorCode } from '../base/errors.ts';

/**
 * The error codes for the codes of routes and model proxies: of refusals, and of the event that ends a proxy's
 * stream.
 */
export const refusalCodes: Readonly<Record<string, CuelineErrorCode>> = {
  upstream_auth: 'auth',
  upstream_unpaid: 'budget_exceeded',
  upstream_denied: 'model_denied',
  upstream_redirect: 'redirect_blocked',
  upstream_content_type: 'stream_malformed',
  upstream_malformed: 'stream_malformed',
  upstream_too_large: 'too_large',
  upstream_broken: 'stream_truncated',
  upstream_timeout: 'timeout',
  upstream_unreachable: 'network',
  unavailable: 'overloaded',
  internal: 'provider_error',
  total_exceeded: 'budget_exceeded',
  budget_exceeded: 'budget_exceeded',
  rate_limited: 'rate_limited',
  too_many_at_once: 'rate_limited',
  unauthorized: 'auth',
  origin_denied: 'auth',
  model_denied: 'model_denied',
  unknown_provider: 'model_denied',
  unknown_path: 'bad_request',
  tool_denied: 'bad_request',
  unsupported_field: 'bad_request',
  unsupported_media_type: 'bad_request',
  invalid_json: 'bad_request',
  invalid_body: 'bad_request',
  body_timeout: 'timeout',
  // of a body, and of a stream whose answer exceeds the proxy's limit
  too_large: 'too_large',
  event_too_large: 'too_large',
  timeout: 'timeout',
  idle: 'timeout',
  broken: 'stream_truncated',
};

/** Every code of a run's error. The compiler compares this list with the type. */
const errorCodes: Readonly<Record<CuelineErrorCode, true>> = {
  invalid_definition: true,
  invalid_options: true,
  unknown_model: true,
  alias_cycle: true,
  missing_key: true,
  missing_package: true,
  missing_setting: true,
  invalid_base_url: true,
  invalid_input: true,
  invalid_library: true,
  unknown_prompt: true,
  invalid_parameter: true,
  aborted: true,
  timeout: true,
  network: true,
  redirect_blocked: true,
  auth: true,
  model_denied: true,
  rate_limited: true,
  overloaded: true,
  bad_request: true,
  context_overflow: true,
  stream_truncated: true,
  stream_malformed: true,
  provider_error: true,
  script_error: true,
  content_filter: true,
  tasks_incomplete: true,
  budget_exceeded: true,
  loop_detected: true,
  parse_failed: true,
  not_recorded: true,
  interrupted: true,
  busy: true,
  storage_failed: true,
  sandbox_unresponsive: true,
  sandbox_refused: true,
  link_cut_off: true,
  link_foreign: true,
  too_large: true,
};

/**
 * Returns the error code for a server's code, which may itself be one; undefined for an unknown one, such as that of a
 * server that is newer than this page.
 */
export function toErrorCode(serverCode: string): CuelineErrorCode | undefined {
  if (Object.hasOwn(errorCodes, serverCode)) return serverCode as CuelineErrorCode;
  return Object.hasOwn(refusalCodes, serverCode) ? refusalCodes[serverCode] : undefined;
}
