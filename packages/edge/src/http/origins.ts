import { CuelineError } from '@cueline/core';
import { HttpError } from './respond.ts';

/** A requester: a page, with the origin that may read the answer, or a program without an origin. */
export type Requester =
  | {
      kind: 'page';
      origin: string | undefined;
      /** True if only the rule `'*'` allows it. */
      isAny?: true;
    }
  | { kind: 'program'; origin: undefined };

/**
 * Checks the list of allowed origins once, and returns the function that reads a request's origin. It throws an {@link
 * HttpError} with 403 for any other origin. An entry is an origin as browsers write it (`https://play.example`); `'*'`
 * is every origin but `null`, without cookies, and only allowed in development. Throws `invalid_options` for an
 * invalid list.
 */
export function checkOrigins(
  origins: readonly string[],
  development = false,
): (request: Request) => Requester {
  const invalid = (message: string): CuelineError => new CuelineError('invalid_options', message);
  if (!Array.isArray(origins)) {
    throw invalid(
      "origins is missing. Pass the origins that may call this server, such as ['https://play.example'].",
    );
  }
  for (const origin of origins as readonly unknown[]) {
    if (origin === '*') {
      if (development) continue;
      throw invalid("origins has '*', which allows every site. Name the origins, or set development: true.");
    }
    if (typeof origin !== 'string' || !isOrigin(origin)) {
      throw invalid(
        `origins has ${JSON.stringify(origin)}, which is not an origin. Write scheme and host, such as https://play.example, without a path or a slash at the end.`,
      );
    }
  }
  const known = new Set(origins);
  return (request) => {
    const { headers } = request;
    const origin = headers.get('origin');
    if (origin === null) {
      const site = headers.get('sec-fetch-site');
      // a page's own GET has no Origin; only a browser sends this header, and no script can set it
      if (site === 'same-origin') return { kind: 'page', origin: undefined };
      if (site === 'cross-site' || site === 'same-site') throw originDeniedError();
      return { kind: 'program', origin: undefined };
    }
    // sandboxed frames, files and some redirects all send `null`, so it identifies no page
    if (known.has(origin)) return { kind: 'page', origin };
    if (known.has('*') && isOrigin(origin)) return { kind: 'page', origin, isAny: true };
    throw originDeniedError();
  };
}

function originDeniedError(): HttpError {
  return new HttpError(
    'origin_denied',
    'This origin is not allowed. The operator of this server can add it to origins.',
  );
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
