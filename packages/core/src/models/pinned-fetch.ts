import { CuelineError } from '../base/errors.ts';
import { isBrowser } from './platform.ts';

/** An address that a host name resolves to. */
export type Address = { address: string; family: number };

type Lookup = (
  host: string,
  options: { all?: boolean },
  done: (error: Error | null, address: string | readonly Address[], family?: number) => void,
) => void;

/** The parts of Node's modules that this file uses. Core never imports them; it looks them up at run time. */
type NodeModules = {
  'node:dns': { promises: { lookup(host: string, options: { all: true }): Promise<readonly Address[]> } };
  'node:http': NodeClient;
  'node:https': NodeClient;
  'node:stream': { Readable: { toWeb(stream: object): ReadableStream<Uint8Array> } };
};
type NodeClient = {
  request(
    url: URL,
    options: { agent: false; lookup: Lookup; headers: Record<string, string>; signal?: AbortSignal },
  ): { on(type: 'response' | 'error' | 'close', listener: (value: never) => void): unknown; end(): void };
};
type NodeResponse = {
  destroy(): void;
  statusCode?: number;
  headers: Record<string, string | string[] | undefined>;
};

/**
 * Returns all addresses of a host name; undefined in browsers, apps of React Native and Workers, where this code
 * cannot limit what can be reached.
 * @throws CuelineError `network` if there is neither a resolver nor such a platform
 */
export async function resolveHost(host: string): Promise<readonly Address[] | undefined> {
  const dns = nodeModule('node:dns');
  if (dns === undefined) checkPlatform(host);
  return dns?.promises.lookup(host, { all: true });
}

function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown; versions?: Record<string, string> };
  };
  // Workers claim to have these modules, but resolve and connect outside of them
  if (process?.versions?.['node'] === undefined || isWorker()) return undefined;
  return process.getBuiltinModule?.(name) as NodeModules[Name] | undefined;
}

function checkPlatform(host: string): void {
  if (isBrowser() || isPhone() || isWorker()) return;
  throw new CuelineError(
    'network',
    `A file of ${host} was not downloaded: this runtime does not say which IP address the host name has. Run it on Node 22.3 or newer, Deno, Bun or Workers, give the file itself, such as its bytes, or give options.experimental_download.`,
  );
}

/** True in a Cloudflare Worker. */
function isWorker(): boolean {
  return 'WebSocketPair' in globalThis;
}

/** True in an app of React Native, which fetches for the user of the device. */
function isPhone(): boolean {
  const { navigator } = globalThis as { navigator?: { product?: unknown } };
  return navigator?.product === 'ReactNative';
}

/**
 * Fetches without following redirects, over a connection to this address, because resolving the name again could
 * return another one. Node, Deno and Bun connect to the given address. Where {@link resolveHost} returns undefined,
 * uses the platform's `fetch`; elsewhere refuses a name.
 */
export async function fetchPinned(url: URL, init: RequestInit, pinned: Address): Promise<Response> {
  const client = nodeModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const stream = nodeModule('node:stream');
  if (client === undefined || stream === undefined) {
    if (!isAddress(url)) checkPlatform(url.host);
    return fetch(url, init);
  }
  let isPinned = isAddress(url);
  const response = await new Promise<NodeResponse>((resolve, reject) => {
    const request = client.request(url, {
      // a new connection, because an open one may lead elsewhere
      agent: false,
      lookup(_host, { all }, done) {
        isPinned = true;
        if (all === true) done(null, [pinned]);
        else done(null, pinned.address, pinned.family);
      },
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
      ...(init.signal === undefined || init.signal === null ? {} : { signal: init.signal }),
    });
    request.on('response', resolve);
    request.on('error', reject);
    // the only event for a connection that is closed without an error, as after a 101; rejects nothing after a response
    request.on('close', () =>
      reject(
        new CuelineError(
          'network',
          `A file of ${url.host} was not downloaded: the server closed the connection without an answer. Check the address, or give the file itself, such as its bytes.`,
        ),
      ),
    );
    request.end();
  });
  if (!isPinned) {
    response.destroy();
    throw new CuelineError(
      'network',
      `A file of ${url.host} was not downloaded: this version of the runtime does not say which IP address it connects to. Update it, or give options.experimental_download.`,
    );
  }
  const { statusCode = 502, headers } = response;
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new CuelineError(
      'network',
      `The server of ${url.host} compressed a file that was requested uncompressed. Pass the file itself, such as its bytes.`,
    );
  }
  const isEmpty = statusCode === 204 || statusCode === 205 || statusCode === 304;
  const fields = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  );
  return new Response(isEmpty ? null : stream.Readable.toWeb(response), {
    status: statusCode,
    headers: fields,
  });
}

/** True if the URL has an address instead of a name, which is never resolved. */
export function isAddress({ hostname }: URL): boolean {
  return hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
}
