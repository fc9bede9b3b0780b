import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { join } from 'node:path';

/** How often a worker is pinged, in milliseconds, and how many pings it may leave unanswered. */
const PING_MS = 250;
const MAX_UNANSWERED = 8;

/** A load balancer: one address for several workers. */
export type Balancer = { readonly uri: string; close(): void };

/**
 * Starts a load balancer. Each worker writes a file into `folder`, whose name is its port. Calls go to the workers in
 * turn. The calls of a worker that is killed or silent are closed with an error.
 */
export async function startBalancer(folder: string): Promise<Balancer> {
  const sessions = new Map<string, ClientHttp2Session>();
  let turn = 0;

  function open(port: string): ClientHttp2Session {
    const session = connect(`http://127.0.0.1:${port}`);
    let unanswered = 0;
    // counts pings instead of time, because this process may be slow itself
    const pings = setInterval(() => {
      if (session.connecting || session.destroyed) return;
      unanswered += 1;
      if (unanswered > MAX_UNANSWERED) session.destroy();
      else session.ping(() => (unanswered = 0));
    }, PING_MS);
    session.on('error', (error: NodeJS.ErrnoException) => {
      // the worker is gone
      if (error.code === 'ECONNREFUSED') rmSync(join(folder, port), { force: true });
    });
    session.on('close', () => {
      clearInterval(pings);
      if (sessions.get(port) === session) sessions.delete(port);
    });
    sessions.set(port, session);
    return session;
  }

  function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const fail = (): void => stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    stream.on('error', () => {});
    const ports = readdirSync(folder).toSorted();
    const port = ports[(turn += 1) % ports.length];
    if (port === undefined) return fail();
    const known = sessions.get(port);
    const session = known === undefined || known.closed || known.destroyed ? open(port) : known;
    const call = session.request(forwarded(headers));
    let hasResponse = false;
    call.on('error', fail).on('close', () => {
      // a call whose session is destroyed ends like a complete one; without a response, Restate would wait for it
      // forever
      if (!hasResponse || !call.readableEnded) fail();
    });
    call.on('response', (answer) => {
      hasResponse = true;
      if (!stream.destroyed) stream.respond(forwarded(answer));
    });
    stream.on('close', () => call.close());
    stream.pipe(call);
    call.pipe(stream);
  }

  const server: Http2Server = createServer().on('stream', forward).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The balancer has no port.');
  return {
    uri: `http://127.0.0.1:${address.port}`,
    close() {
      for (const session of sessions.values()) session.destroy();
      server.close();
    },
  };
}

/** Returns headers without those of the connection. */
function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { ':authority': _authority, ...others } = headers;
  return others;
}
