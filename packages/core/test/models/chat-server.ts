import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the server got it. */
export type SeenRequest = { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> };

/** A server on this machine for one test. Dispose it. */
export type ChatServer = AsyncDisposable & { url: string; seen: SeenRequest[] };

/** Starts a server that answers each request with `respond`. */
export async function startServer(
  respond: (response: ServerResponse, request: SeenRequest) => void,
): Promise<ChatServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = JSON.parse((await read(request)) || '{}') as SeenRequest['body'];
      const got = { path: request.url ?? '', headers: request.headers, body };
      seen.push(got);
      respond(response, got);
    };
    void answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers in the format of Chat Completions: a text in deltas, with usage. */
export function chat(response: ServerResponse, deltas: readonly string[], finish = true): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choices: unknown[], more = {}): void => {
    response.write(`data: ${JSON.stringify({ id: 'c', model: 'm', choices, ...more })}\n\n`);
  };
  for (const content of deltas) send([{ index: 0, delta: { role: 'assistant', content } }]);
  if (finish) {
    send([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    send([], { usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } });
    response.write('data: [DONE]\n\n');
  }
  response.end();
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}
