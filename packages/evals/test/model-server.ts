import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server with OpenAI's API on this machine, which says NEGATIVE for texts with the word "sad". */
export type ModelServer = {
  /** What the environment of a process needs for the models `local:…`. */
  readonly env: Record<string, string>;
  readonly requests: readonly string[];
  /** Changes the answers. */
  answer(by: (request: string) => string): void;
  /** Refuses requests. */
  refuse(which: (request: string) => boolean): void;
  close(): Promise<void>;
};

export async function startModelServer(): Promise<ModelServer> {
  const requests: string[] = [];
  let answerOf = (request: string): string => (request.includes('sad') ? 'NEGATIVE' : 'POSITIVE');
  let isRefused = (_request: string): boolean => false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      requests.push(body);
      if (isRefused(body)) {
        response.writeHead(400);
        return response.end();
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = (delta: object, finish_reason: string | null = null): string =>
        `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'mood', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      return response.end(
        `${chunk({ role: 'assistant', content: answerOf(body) })}${chunk({}, 'stop')}data: [DONE]\n\n`,
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      LOCAL_API_BASE: `http://127.0.0.1:${port}/v1`,
      LOCAL_API_TYPE: 'openai',
      LOCAL_API_KEY: 'secret-key',
    },
    requests,
    answer(by) {
      answerOf = by;
    },
    refuse(which) {
      isRefused = which;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
