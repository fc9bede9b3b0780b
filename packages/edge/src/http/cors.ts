import { CuelineError } from '@cueline/core';
import type { Requester } from './origins.ts';
import { answerHeaders } from './respond.ts';

/** Which headers of its own the pages of an app may send. */
export type RequestHeaderOptions = {
  /**
   * Names of headers that pages of other origins may send besides the handler's own, such as `['x-csrf-token']`, for
   * `auth` to read. Default: none.
   */
  requestHeaders?: readonly string[] | undefined;
};

/** What pages of other origins may do. */
export type CorsRules = {
  methods: readonly string[];
  /** Request headers that a page may send, in lower case. */
  requestHeaders: readonly string[];
  /** Response headers that a page may read, in lower case. */
  expose: readonly string[];
};

/** Returns the rules with an app's own request headers. Throws `invalid_options` for an invalid name. */
export function withRequestHeaders(
  rules: CorsRules,
  { requestHeaders = [] }: RequestHeaderOptions,
): CorsRules {
  const invalid = (message: string): CuelineError => new CuelineError('invalid_options', message);
  if (!Array.isArray(requestHeaders)) {
    throw invalid("requestHeaders is not a list. Pass names of headers, such as ['x-csrf-token'].");
  }
  for (const name of requestHeaders as readonly unknown[]) {
    // browsers read `*` as every header only without cookies, and nothing tells which case it was
    if (name === '*')
      throw invalid("requestHeaders has '*', which browsers do not accept here. Name the headers.");
    if (typeof name === 'string' && isHeaderName(name)) continue;
    throw invalid(
      `requestHeaders has ${JSON.stringify(name)}, which is not the name of a header. Write it like x-csrf-token.`,
    );
  }
  const names = [...rules.requestHeaders, ...requestHeaders.map((name) => name.toLowerCase())];
  return { ...rules, requestHeaders: [...new Set(names)] };
}

/** True for a token of RFC 9110 (5.6.2). */
function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(text);
}

/** Returns the CORS headers of a response; none for a requester that is not a page. */
export function corsHeaders(requester: Requester, { expose }: CorsRules): Record<string, string> {
  const { origin } = requester;
  if (origin === undefined) return {};
  // a page of any site must not read answers that are made with the user's cookies
  const isAny = requester.kind === 'page' && requester.isAny === true;
  return {
    // the requesting origin, never `*`, which browsers refuse together with cookies
    'access-control-allow-origin': origin,
    ...(isAny ? {} : { 'access-control-allow-credentials': 'true' }),
    'access-control-expose-headers': expose.join(', '),
  };
}

/** True for a browser's preflight request. */
export function isPreflight(request: Request): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers.has('origin') &&
    request.headers.has('access-control-request-method')
  );
}

/** Returns the response to a preflight: 204, with the headers that a page may send. Its origin has been checked. */
export function preflightResponse(requester: Requester, rules: CorsRules): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...answerHeaders,
      ...corsHeaders(requester, rules),
      'access-control-allow-methods': rules.methods.join(', '),
      'access-control-allow-headers': rules.requestHeaders.join(', '),
      'access-control-max-age': '600',
    },
  });
}
