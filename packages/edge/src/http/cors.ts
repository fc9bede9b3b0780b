import { CuelineError } from '@cueline/core';
import type { Requester } from './origins.ts';
import { answerHeaders } from './respond.ts';

/** How a handler lets pages send headers of an app's own. */
export type RequestHeaderOptions = {
  /**
   * Names of headers that pages of other origins may send besides those that the handler knows, such as
   * `['x-csrf-token']`, for `auth` to read. Default: none.
   */
  requestHeaders?: readonly string[] | undefined;
};

/** What a handler lets pages of other origins do. */
export type CorsRules = {
  methods: readonly string[];
  /** Request headers that a page may send, in lower case. */
  requestHeaders: readonly string[];
  /** Answer headers that a page may read, in lower case. */
  expose: readonly string[];
};

/**
 * The same rules with the headers of an app's own among those that a page may send. Throws `invalid_options` for a name
 * that is none.
 */
export function withRequestHeaders(
  rules: CorsRules,
  { requestHeaders = [] }: RequestHeaderOptions,
): CorsRules {
  const invalid = (message: string): CuelineError => new CuelineError('invalid_options', message);
  if (!Array.isArray(requestHeaders)) {
    throw invalid("requestHeaders is no list. Pass names of headers, such as ['x-csrf-token'].");
  }
  for (const name of requestHeaders as readonly unknown[]) {
    // browsers take `*` for every header only where no cookies are sent, and nobody can tell which it was
    if (name === '*')
      throw invalid("requestHeaders has '*', which browsers do not take here. Name the headers.");
    if (typeof name === 'string' && isHeaderName(name)) continue;
    throw invalid(
      `requestHeaders has ${JSON.stringify(name)}, which is no name of a header. Write it as x-csrf-token is written.`,
    );
  }
  const names = [...rules.requestHeaders, ...requestHeaders.map((name) => name.toLowerCase())];
  return { ...rules, requestHeaders: [...new Set(names)] };
}

/** A token, as RFC 9110 has it (5.6.2). */
function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(text);
}

/** The CORS headers of an answer to this asker; none for a program. */
export function corsHeaders(requester: Requester, { expose }: CorsRules): Record<string, string> {
  const { origin } = requester;
  if (origin === undefined) return {};
  // whatever site somebody has open must not read answers that are made for their cookies
  const isAny = requester.kind === 'page' && requester.isAny === true;
  return {
    // the one that asked, never `*`, which browsers refuse together with cookies
    'access-control-allow-origin': origin,
    ...(isAny ? {} : { 'access-control-allow-credentials': 'true' }),
    'access-control-expose-headers': expose.join(', '),
  };
}

/** True for the question a browser asks before a page's request. */
export function isPreflight(request: Request): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers.has('origin') &&
    request.headers.has('access-control-request-method')
  );
}

/** The answer to a preflight: 204, with what a page may send. Its origin has been checked. */
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
