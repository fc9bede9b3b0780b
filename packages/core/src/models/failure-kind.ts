import type { CuelineErrorCode } from '../base/errors.ts';

/** Returns the kind of failure that an HTTP status means. */
export function kindOfStatus(status: number): CuelineErrorCode {
  if (status === 401) return 'auth';
  if (status === 403 || status === 404) return 'model_denied';
  if (status === 408) return 'timeout';
  // 402: the account has no credit left, a limit that can be lifted by paying or waiting
  if (status === 429 || status === 402) return 'rate_limited';
  // 529 is Anthropic's "overloaded"
  if (status === 502 || status === 503 || status === 504 || status === 529) return 'overloaded';
  // 424: the model behind Bedrock failed
  if (status >= 400 && status < 500 && status !== 424) return 'bad_request';
  return 'provider_error';
}

// terms of OpenAI, Azure, Anthropic, Google, Mistral and llama.cpp; each is searched for in a type or code
const codes: readonly (readonly [pattern: RegExp, code: CuelineErrorCode])[] = [
  [/authentication|invalid_api_key|unauthorized|unauthenticated|api_key_invalid/i, 'auth'],
  [/permission|forbidden|model_not_found|not_found/i, 'model_denied'],
  [/rate_limit|insufficient_quota|resource_exhausted|too_many_requests|billing|credit/i, 'rate_limited'],
  [/overloaded|unavailable|capacity/i, 'overloaded'],
  [/timeout|deadline/i, 'timeout'],
  [/context_length|context_window|prompt_too_long|exceed_context|context_size/i, 'context_overflow'],
  [/content_filter|content_policy/i, 'content_filter'],
  [/invalid_request|invalid_argument|bad_request|invalid_prompt|too_large/i, 'bad_request'],
];

/** Returns the kind of failure that a provider's `type` or `code` means; undefined for an unknown one. */
export function kindOfCode(...labels: unknown[]): CuelineErrorCode | undefined {
  for (const label of labels) {
    if (typeof label !== 'string') continue;
    const found = codes.find(([pattern]) => pattern.test(label));
    if (found !== undefined) return found[1];
  }
  return undefined;
}

// Anthropic, vLLM, Google, xAI, llama.cpp, LM Studio and OpenAI; Groq's is of a request above the tokens per minute
const tooLong =
  /prompt is too long|maximum context length|exceeds the maximum number of tokens|maximum prompt length|context size|context length of only|exceeds the context window|request too large for model/i;

/**
 * Returns the kind of failure that a message means, for providers that label it as a bad request; undefined for other
 * messages.
 */
export function kindOfMessage(message: string): CuelineErrorCode | undefined {
  if (tooLong.test(message)) return 'context_overflow';
  return /credit balance is too low/i.test(message) ? 'rate_limited' : undefined;
}

/** Returns the sentence before the provider's own message, and the advice after it. */
export function explainFailure(code: CuelineErrorCode, who: string): { what: string; advice: string } {
  switch (code) {
    case 'auth':
      return {
        what: `${who} refused the API key`,
        advice: 'Check that there is a key, that it is complete, and that it belongs to this provider.',
      };
    case 'model_denied':
      return {
        what: `${who} does not offer this model`,
        advice: 'Check the model id and the base URL, and that the key may use this model.',
      };
    case 'rate_limited':
      return {
        what: `${who} accepts no more requests at the moment`,
        advice: 'Wait a while, or check the plan and its limits.',
      };
    case 'overloaded':
      return { what: `${who} is overloaded`, advice: 'Try again in a while.' };
    case 'context_overflow':
      return {
        what: `${who} cannot read a conversation this long`,
        advice: 'Send less of it, or use a model that reads more.',
      };
    case 'bad_request':
      return { what: `${who} did not accept the request`, advice: '' };
    case 'content_filter':
      return {
        what: `${who} refused the request with its content filter`,
        advice: 'Change what the model is asked; the same request is refused again.',
      };
    case 'timeout':
      return { what: `${who} took too long`, advice: 'Try again.' };
    case 'stream_malformed':
      return {
        what: `${who} sent something that does not belong to this API`,
        advice: 'Check the base URL.',
      };
    case 'stream_truncated':
      return { what: `${who} stopped in the middle of its answer`, advice: 'Try again.' };
    default:
      return { what: `${who} reported an error`, advice: '' };
  }
}
