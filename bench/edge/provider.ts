// A process of the bench: a provider that answers Chat Completions at the pace of the model that is asked for.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBench } from './process.ts';
import { delta, ending, type ModelId, paces } from './provider-answers.ts';

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += String(part)));
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    tell(response, (JSON.parse(body) as { model: ModelId }).model);
  });
});
// connections stay open during the pauses between the parts of the bench
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  answerBench(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});

function tell(response: ServerResponse, model: ModelId): void {
  const { events, everyMs, stays = false } = paces[model];
  let told = 0;
  const end = (): void => void (stays || response.end(ending));
  if (everyMs > 0) {
    const next = (): void => {
      response.write(delta);
      if (++told < events) return;
      clearInterval(timer);
      end();
    };
    const timer = setInterval(next, everyMs);
    response.on('close', () => clearInterval(timer));
    next();
    return;
  }
  const fill = (): void => {
    while (told < events) {
      told += 1;
      if (!response.write(delta) && told < events) return;
    }
    response.off('drain', fill);
    end();
  };
  response.on('drain', fill);
  fill();
}
