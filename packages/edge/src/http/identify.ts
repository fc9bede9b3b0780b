import { CuelineError } from '@cueline/core';
import { createRequestCount } from './count-requests.ts';
import { networkOf } from './network-of.ts';
import type { Requester } from './origins.ts';
import { Refusal } from './respond.ts';
import { withTimeout } from '../route/runs/with-timeout.ts';

/** Who a request is counted for. */
export type Identity = {
  /** A name that stays the same from request to request, such as a user's id. */
  subject: string;
  /** Tokens a day for this subject, in place of the limit for everybody. */
  dailyTokens?: number;
  /** What this subject may cost a day, in the currency of `prices`, in place of the limit for everybody. */
  dailyCost?: number;
};

/** Tells who asks, from a request's headers; its body is not read yet, and is not to be. null is 401. */
export type Authenticate = (request: Request) => Promise<Identity | null> | Identity | null;

/** How a handler tells who asks. */
export type IdentifyOptions = {
  /** `'none'` lets everybody in, and counts by address. */
  auth: Authenticate | 'none';
  /**
   * The caller's IP address, without a port; anything else is 503. Required where `auth` is `'none'`. With an `auth`
   * function, requests that it refuses are counted by address: after 60 in a minute they are 429. Without `address` they
   * count together: after 1,200 in a minute every request is 429, also of callers whom `auth` would let in. Only the
   * server knows where to find it: srvx in `request.ip`, Cloudflare in `cf-connecting-ip`. A header that a client can set
   * is no address.
   */
  address?: ((request: Request) => string) | undefined;
};

const longestSubject = 256;
/** How many requests of one network `auth` may refuse in a minute; beyond that they are refused before it is asked. */
const FAILURES_PER_MINUTE = 60;
/** Where no address is known, all callers count as one, which may make this many times the requests of one network. */
const CALLERS_TOGETHER = 20;

/**
 * Checks the options once, and gives what tells who asks; `onFailure` is told what is wrong with what `address` gives.
 * Throws `invalid_options`.
 */
export function createIdentify(
  { auth, address }: IdentifyOptions,
  onFailure: (error: unknown) => void,
): (request: Request, requester: Requester) => Promise<Identity> {
  if (auth === 'none') {
    if (typeof address !== 'function') {
      throw new CuelineError(
        'invalid_options',
        "auth is 'none' without address, so that nobody could be told from anybody. Pass address: (request) => …, or an auth function.",
      );
    }
    const readNetwork = createNetworkReader(address, onFailure);
    return async (request, requester) => {
      // Without a user there is only the page to trust.
      if (requester.kind === 'program') throw unauthorized();
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
  return async (request) => {
    // before `auth`, which may ask a database
    const network = await failures.check(request);
    const identity = await authenticate(() => auth(request));
    if (typeof identity !== 'object' || identity === null) {
      failures.count(network);
      throw unauthorized();
    }
    const { dailyTokens, dailyCost } = identity;
    return {
      subject: checkSubject(identity.subject),
      ...(dailyTokens === undefined ? {} : { dailyTokens: checkNumber(dailyTokens) }),
      ...(dailyCost === undefined ? {} : { dailyCost: checkNumber(dailyCost) }),
    };
  };
}

/** How often each network has asked. */
export type NetworkCount = {
  /** The network of a request. Throws a {@link Refusal} with 429 where its next request would be too many. */
  check(request: Request): Promise<string>;
  /** Counts a request of a network. Throws the same for one that is too many. */
  count(network: string): void;
};

/**
 * Counts requests by network, `perMinute` for each. Without `address` all requests count together, with 20 times as many:
 * a server that gave none is not asked without end.
 */
export function createNetworkCount(
  perMinute: number,
  address: ((request: Request) => string) | undefined,
  onFailure: (error: unknown) => void,
): NetworkCount {
  const requests = createRequestCount(address === undefined ? perMinute * CALLERS_TOGETHER : perMinute);
  const readNetwork =
    address === undefined ? async () => 'all callers' : createNetworkReader(address, onFailure);
  return {
    async check(request) {
      const network = await readNetwork(request);
      requests.check(network);
      return network;
    },
    count: (network) => requests.count(network),
  };
}

/**
 * Reads the network that a request comes from. Throws a {@link Refusal} with 503 where `address` gives no IP address, and
 * reports that to `onFailure`.
 */
function createNetworkReader(
  address: (request: Request) => string,
  onFailure: (error: unknown) => void,
): (request: Request) => Promise<string> {
  return async (request) => {
    const given: unknown = await authenticate(() => address(request));
    const network = typeof given === 'string' ? networkOf(given) : undefined;
    if (network !== undefined) return network;
    onFailure(noAddress(given));
    throw new Refusal('unavailable', "The caller's address could not be read on this server.");
  };
}

/** What cannot be told now is refused now: nobody gets in because a session store is down. */
async function authenticate<Value>(question: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await withTimeout((async () => question())());
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal('unavailable', 'Who asks could not be found out just now. Try again in a while.');
  }
}

function noAddress(given: unknown): CuelineError {
  const what =
    typeof given === 'string' ? JSON.stringify(given.slice(0, 100)) : `something of type ${typeof given}`;
  return new CuelineError(
    'invalid_options',
    `address gave ${what}, which is no IP address, so nobody could be told from anybody. Give one, without a port: address: (request) => request.ip with srvx, (request) => request.headers.get('cf-connecting-ip') on Cloudflare.`,
  );
}

function checkSubject(subject: unknown): string {
  if (typeof subject !== 'string' || subject === '' || subject.length > longestSubject) throw unauthorized();
  // in a store of bytes every half of a pair is the same letter, and two subjects would be one
  if (/\p{Surrogate}/u.test(subject)) throw unauthorized();
  return subject;
}

function checkNumber(limit: unknown): number {
  // NaN would pass every comparison with what has been spent
  if (typeof limit !== 'number' || Number.isNaN(limit)) throw unauthorized();
  return limit;
}

function unauthorized(): Refusal {
  return new Refusal('unauthorized', 'Who asks is not known here. Sign in, and send what proves it.');
}
