import { CuelineError } from '@cueline/core';
import { Refusal } from './respond.ts';

/** Who asks: a page, with the origin that may read the answer, or a program that says nothing of an origin. */
export type Requester =
  | {
      kind: 'page';
      origin: string | undefined;
      /** Let in as any other page would be, by no name of its own. */
      isAny?: true;
    }
  | { kind: 'program'; origin: undefined };

/**
 * Reads the list of origins that may ask, once, and gives what tells who asks: it throws a {@link Refusal} with 403
 * for any other origin. An entry is an origin as browsers write it (`https://play.example`); `'*'` is every
 * origin but `null`, without its cookies, and only taken in development. Throws `invalid_options` for a list that could not be meant.
 */
export function checkOrigins(
  origins: readonly string[],
  development = false,
): (request: Request) => Requester {
  const invalid = (message: string): CuelineError => new CuelineError('invalid_options', message);
  if (!Array.isArray(origins)) {
    throw invalid("origins is missing. Pass the origins that may ask, such as ['https://play.example'].");
  }
  for (const origin of origins as readonly unknown[]) {
    if (origin === '*') {
      if (development) continue;
      throw invalid("origins has '*', which lets every site ask. Name them, or set development: true.");
    }
    if (typeof origin !== 'string' || !isOrigin(origin)) {
      throw invalid(
        `origins has ${JSON.stringify(origin)}, which is no origin. Write scheme and host, such as https://play.example, without a path or a slash at the end.`,
      );
    }
  }
  const known = new Set(origins);
  return (request) => {
    const { headers } = request;
    const origin = headers.get('origin');
    if (origin === null) {
      const site = headers.get('sec-fetch-site');
      // A page's own GET carries no Origin; only a browser sends this header, and no script can set it.
      if (site === 'same-origin') return { kind: 'page', origin: undefined };
      if (site === 'cross-site' || site === 'same-site') throw originDeniedError();
      return { kind: 'program', origin: undefined };
    }
    // A sandboxed frame, a file and some redirects all say `null`: it is nobody's name.
    if (known.has(origin)) return { kind: 'page', origin };
    if (known.has('*') && isOrigin(origin)) return { kind: 'page', origin, isAny: true };
    throw originDeniedError();
  };
}

function originDeniedError(): Refusal {
  return new Refusal(
    'origin_denied',
    'This origin may not ask here. Whoever runs this server can add it to origins.',
  );
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
