import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the provider got it. */
export type Seen = {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  /** When its connection was closed, of `performance.now()`. */
  closedAt?: number;
};

/** What a provider does with a request. */
export type Answer = (response: ServerResponse, request: Seen) => void;

/** A provider on this machine. */
export type Upstream = AsyncDisposable & {
  url: string;
  /** Calls since the last answer was set, without those of the limits. */
  seen: Seen[];
  /** The calls of the limit store, such as `reserve/ada`. */
  limits: string[];
  /** From now on it answers like this. */
  answer(answer: Answer): void;
};

/** Starts a provider. */
export async function serveUpstream(): Promise<Upstream> {
  let answer: Answer = (response) => response.end();
  const seen: Seen[] = [];
  const limits: string[] = [];
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    if (url.startsWith('/limits/')) {
      limits.push(url.slice('/limits/'.length));
      setTimeout(() => response.end(), 20);
      return;
    }
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      const got: Seen = { path: url, headers, body: JSON.parse(text || '{}') as Record<string, unknown> };
      response.on('close', () => (got.closedAt = performance.now()));
      seen.push(got);
      answer(response, got);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    limits,
    answer(next) {
      answer = next;
      seen.length = 0;
      limits.length = 0;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * An address without a server. A free port would not do, because another test may open a server there; ports below 1024
 * are given to no test, and fetch does not block this one.
 */
export const nowhere = 'http://127.0.0.1:2';
