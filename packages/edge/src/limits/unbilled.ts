/** Of errors of the AI SDK that are thrown before anything is sent. */
const beforeSending = new Set([
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_UnsupportedFunctionalityError',
]);

/** The systems' words for a connection that was never made. */
const unconnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

/**
 * True for an error after which no provider bills anything: it refused the request, or the request never reached it.
 * False where it may have begun to work, such as for a connection that broke.
 */
export function isUnbilled(error: unknown): boolean {
  for (let at = error, depth = 0; isObject(at) && depth < 5; at = at['cause'], depth += 1) {
    const { name, statusCode, code } = at;
    if (typeof statusCode === 'number' && statusCode >= 400) return true;
    if (beforeSending.has(String(name)) || unconnected.has(String(code))) return true;
  }
  return false;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
