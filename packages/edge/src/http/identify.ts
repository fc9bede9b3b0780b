import { CuelineError } from '@cueline/core';
import { ignorePromises } from '@cueline/core/server';
import { TimeoutElapsed, withTimeout } from '../base/with-timeout.ts';
import { createCallSlots } from './call-slots.ts';
import { createRequestCount } from './count-requests.ts';
import { networkOf } from './network-of.ts';
import type { Requester } from './origins.ts';
import { HttpError, isHttpError } from './respond.ts';

/** The subject of a request, for limits and ownership. */
export type Identity = {
  /** A name that stays the same from request to request, such as a user's id. */
  subject: string;
  /** Tokens a day of this subject, instead of the general limit. */
  dailyTokens?: number;
  /** Cost a day of this subject, in the currency of `prices`, instead of the general limit. */
  dailyCost?: number;
};

/**
 * Returns the requester's identity from a request's headers, or null for 401. It must not read the body. Without a
 * `subject`, or with a limit that is not a number, the response is 503 and `onEvent` gets a `failed` that says why.
 */
export type Authenticate = (request: Request) => Promise<Identity | null> | Identity | null;

/** How a handler identifies requesters. */
export type IdentifyOptions = {
  /** `'none'` accepts every page of `origins`, and counts by address. Programs, which send no `Origin`, are refused. */
  auth: Authenticate | 'none';
  /**
   * Returns the requester's IP address, without a port; anything else is 503. Required if `auth` is `'none'`. With an
   * `auth` function, requests that it refuses or fails at are counted by address: after 60 in a minute they are 429,
   * and it gets 60 of one address at once, while others wait. Without `address` they count together: after 1,200 in a
   * minute every request is 429, also of requesters whom `auth` would accept. Only the server knows where the address
   * is: srvx in `request.ip`, Cloudflare in `cf-connecting-ip`. A header that a client can set is not an address.
   */
  address?: ((request: Request) => string) | undefined;
};

const maxSubjectLength = 256;
/**
 * How many requests of one network `auth` may refuse in a minute, and how many it gets at once, while others wait.
 * Further ones are refused without calling it.
 */
const FAILURES_PER_MINUTE = 60;
/** How often a failing `auth` or `address` is reported, in milliseconds. */
const REPORT_MS = 60_000;
/** Without addresses, all requesters count as one, and may make this many times the requests of one network. */
const SHARED_LIMIT_FACTOR = 20;

/**
 * Checks the options once, and returns the function that identifies requesters. Calls `onFailure` if `auth` returns
 * something invalid, and, at most once a minute for each, if `address` does or one of them throws or hangs. Throws
 * `invalid_options`.
 */
export function createIdentify(
  { auth, address }: IdentifyOptions,
  onFailure: (error: unknown) => void,
): (request: Request, requester: Requester) => Promise<Identity> {
  if (auth === 'none') {
    if (typeof address !== 'function') {
      throw new CuelineError(
        'invalid_options',
        "auth is 'none' without address, so callers cannot be told apart. Pass address: (request) => …, or an auth function.",
      );
    }
    const readNetwork = createNetworkReader(address, onFailure);
    return async (request, requester) => {
      // without users, only the page's origin can be checked
      if (requester.kind === 'program') throw programError();
      return { subject: `address:${await readNetwork(request)}` };
    };
  }
  if (typeof auth !== 'function') {
    throw new CuelineError(
      'invalid_options',
      "auth is missing. Pass async (request) => ({ subject }) or null, or 'none' with address.",
    );
  }
  const failures = createNetworkCount(FAILURES_PER_MINUTE, address, onFailure);
  const inSlot = createCallSlots(countedTogether(FAILURES_PER_MINUTE, address));
  const authenticate = createCaller('auth', atMostOnceAMinute(onFailure));
  const identify = async (request: Request): Promise<Identity> => {
    const identity = await authenticate(() => auth(request));
    if (typeof identity !== 'object' || identity === null) throw unauthorizedError();
    const mistake = mistakeIn(identity);
    if (mistake !== undefined) {
      ignorePromises(identity);
      onFailure(new CuelineError('invalid_options', mistake));
      throw new HttpError('unavailable', 'The caller could not be identified on this server.');
    }
    const { subject, dailyTokens, dailyCost } = identity;
    return {
      subject: checkSubject(subject),
      ...(dailyTokens === undefined ? {} : { dailyTokens }),
      ...(dailyCost === undefined ? {} : { dailyCost }),
    };
  };

  return async (request) => {
    const network = await failures.read(request);
    // requests of one moment are counted only once `auth` has refused them
    return inSlot(network, request.signal, async () => {
      // before `auth`, which may query a database
      failures.check(network);
      try {
        return await identify(request);
      } catch (error) {
        // libraries throw for invalid credentials, so a failure is counted like a refusal
        failures.count(network);
        throw error;
      }
    });
  };
}

/** Names of fields that were probably meant as limits. */
const misspeltLimit = /^daily[_-]?(tokens?|costs?|limits?|budget)/i;

/** Returns what the operator must change in what `auth` returned, which no requester can set right. */
function mistakeIn(identity: Identity): string | undefined {
  // JavaScript may return anything
  const { subject, dailyTokens, dailyCost }: { [Field in keyof Identity]?: unknown } = identity;
  if (typeof subject !== 'string') {
    return `auth returned a subject of type ${typeof subject}. Return a text that is the caller's: { subject: String(user.id) }, or null for 401.`;
  }
  for (const [name, limit] of Object.entries({ dailyTokens, dailyCost })) {
    // NaN would pass every comparison with the spent amount
    if (limit === undefined || (typeof limit === 'number' && !Number.isNaN(limit))) continue;
    return `auth returned ${name}: ${quote(limit)}. Return a number, or leave it out for the limit of all callers.`;
  }
  // other fields are the app's own
  const unknown = Object.entries(identity).find(
    ([name, value]) =>
      value !== undefined && misspeltLimit.test(name) && name !== 'dailyTokens' && name !== 'dailyCost',
  )?.[0];
  if (unknown === undefined) return undefined;
  return `auth returned "${unknown}", which limits nothing. Return dailyTokens or dailyCost: { subject, dailyTokens: 50_000 }.`;
}

function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : String(value);
}

/** Counts the requests of networks. */
export type NetworkCount = {
  /** Returns the network of a request. */
  read(request: Request): Promise<string>;
  /** Throws an {@link HttpError} with 429 if the next request of a network would be one too many. */
  check(network: string): void;
  /** Counts a request of a network. Throws the same if it is one too many. */
  count(network: string): void;
};

/**
 * Counts requests by network, `perMinute` for each. Without `address` all requests count together, up to 20 times as
 * many, so that `auth` is not called without limit.
 */
export function createNetworkCount(
  perMinute: number,
  address: ((request: Request) => string) | undefined,
  onFailure: (error: unknown) => void,
): NetworkCount {
  const { check, count } = createRequestCount(countedTogether(perMinute, address));
  const read = address === undefined ? async () => 'all callers' : createNetworkReader(address, onFailure);
  return { read, check, count };
}

/** Returns the limit of what is counted together: the requests of one network, or all without `address`. */
function countedTogether(limit: number, address: IdentifyOptions['address']): number {
  return address === undefined ? limit * SHARED_LIMIT_FACTOR : limit;
}

/**
 * Returns the function that reads a request's network. It throws an {@link HttpError} with 503 if `address` returns no
 * IP address, and reports that to `onFailure`, at most once a minute.
 */
function createNetworkReader(
  address: (request: Request) => string,
  onFailure: (error: unknown) => void,
): (request: Request) => Promise<string> {
  const report = atMostOnceAMinute(onFailure);
  const call = createCaller('address', report);
  return async (request) => {
    const identity: unknown = await call(() => address(request));
    const network = typeof identity === 'string' ? networkOf(identity) : undefined;
    if (network !== undefined) return network;
    report(invalidAddressError(identity));
    throw new HttpError('unavailable', "The caller's address could not be read on this server.");
  };
}

type Caller = <Value>(question: () => Value | Promise<Value>) => Promise<Value>;

/**
 * Returns a function that calls `auth` or `address`, and refuses the request if that fails, so that a broken session
 * store lets no requester in.
 */
function createCaller(name: 'auth' | 'address', onFailure: (error: unknown) => void): Caller {
  return async (question) => {
    try {
      return await withTimeout((async () => question())());
    } catch (error) {
      if (isHttpError(error)) throw error;
      onFailure(error instanceof TimeoutElapsed ? silentError(name) : error);
      throw new HttpError(
        'unavailable',
        'The caller could not be authenticated at the moment. Try again in a while.',
      );
    }
  };
}

/** Reports one failure a minute, because a library throws for each invalid credential, and anyone can send them. */
function atMostOnceAMinute(onFailure: (error: unknown) => void): (error: unknown) => void {
  let nextReport = 0;
  return (error) => {
    if (performance.now() < nextReport) return;
    nextReport = performance.now() + REPORT_MS;
    onFailure(error);
  };
}

function silentError(name: string): CuelineError {
  return new CuelineError(
    'timeout',
    `${name} returned nothing for ten seconds, so the request was refused. Check what it waits for, such as the database of its sessions.`,
  );
}

function invalidAddressError(identity: unknown): CuelineError {
  const what =
    typeof identity === 'string'
      ? JSON.stringify(identity.slice(0, 100))
      : `something of type ${typeof identity}`;
  return new CuelineError(
    'invalid_options',
    `address returned ${what}, which is not an IP address, so callers cannot be told apart. Give one, without a port: address: (request) => request.ip with srvx, (request) => request.headers.get('cf-connecting-ip') on Cloudflare.`,
  );
}

function checkSubject(subject: string): string {
  if (subject === '' || subject.length > maxSubjectLength) throw unauthorizedError();
  // in a store of bytes every half of a surrogate pair is the same letter, and two subjects would become one;
  // Postgres takes no U+0000
  if (subject.includes('\0') || /\p{Surrogate}/u.test(subject)) throw unauthorizedError();
  return subject;
}

function programError(): HttpError {
  return new HttpError(
    'unauthorized',
    "This server has no users, so only pages of its origins may call it, and this request has no Origin. Call it from such a page. The operator of this server can let programs in with an auth function instead of 'none'.",
  );
}

function unauthorizedError(): HttpError {
  return new HttpError('unauthorized', 'Authentication required. Send the credentials that `auth` checks.');
}
