import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createNotesServer } from './server.ts';

/** The notes server on this machine, one of its own for each client. `sessions` says how many there are now. */
export type HttpNotes = AsyncDisposable & { url: string; sessions(): number };

/** Starts it on a free port, for pages of any origin. */
export async function startHttpNotes(): Promise<HttpNotes> {
  const transports = new Map<string, StreamableHTTPServerTransport>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    allowAnyOrigin(request, response);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const id = request.headers['mcp-session-id'];
    const transport = typeof id === 'string' ? transports.get(id) : await open();
    if (transport === undefined) return void response.writeHead(404).end();
    await transport.handleRequest(request, response);
  }

  async function open(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
    });
    await createNotesServer().connect(transport);
    return transport;
  }

  const http = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    sessions: () => transports.size,
    async [Symbol.asyncDispose]() {
      for (const transport of transports.values()) await transport.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** What a page of another origin needs: leave to send the protocol's headers, and to read the id of its session. */
function allowAnyOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  response.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '*');
  response.setHeader('access-control-expose-headers', 'mcp-session-id');
}
