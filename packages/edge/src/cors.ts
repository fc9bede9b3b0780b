import type { Asker } from './origins.ts';
import { answerHeaders } from './respond.ts';

/** What a handler lets pages of other origins do. */
export type CorsRules = {
  methods: readonly string[];
  /** Request headers that a page may send, in lower case. */
  requestHeaders: readonly string[];
  /** Answer headers that a page may read, in lower case. */
  expose: readonly string[];
};

/** The CORS headers of an answer to this asker; none for a program. */
export function corsHeaders({ origin }: Asker, { expose }: CorsRules): Record<string, string> {
  if (origin === undefined) return {};
  return {
    // the one that asked, never `*`, which browsers refuse together with cookies
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
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
export function preflightResponse(asker: Asker, rules: CorsRules): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...answerHeaders,
      ...corsHeaders(asker, rules),
      'access-control-allow-methods': rules.methods.join(', '),
      'access-control-allow-headers': rules.requestHeaders.join(', '),
      'access-control-max-age': '600',
    },
  });
}
