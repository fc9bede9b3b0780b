import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

/** A static host with gzip, and a model's server that answers at once. */
export type Host = AsyncDisposable & {
  url: string;
  /** What was sent since the last call, in bytes by path. */
  takeSent(): ReadonlyMap<string, number>;
  /** The text of a file of the folder. */
  text(path: string): string;
};

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};
/** Files that are packed already. */
const packed = new Set(['.woff2', '.png']);

/** The words of an answer, and the time between two, in milliseconds. */
const WORDS = 100;
const WORD_MS = 5;

type Served = { body: Buffer; headers: Record<string, string> };

/** Serves a folder on a free port of this machine. Everything is packed before the first request. */
export async function serve(folder: string): Promise<Host> {
  const files = new Map<string, Served>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    files.set(`/${relative(folder, file).split(sep).join('/')}`, packedFile(file));
  }
  let sent = new Map<string, number>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    if (path === '/v1/chat/completions') return void answer(response);
    const file = files.get(path);
    if (file === undefined) return void response.writeHead(404).end();
    sent.set(path, (sent.get(path) ?? 0) + file.body.length);
    response.writeHead(200, file.headers).end(file.body);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    text: (path) => readFileSync(join(folder, path), 'utf8'),
    takeSent() {
      const taken = sent;
      sent = new Map();
      return taken;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function packedFile(file: string): Served {
  const extension = extname(file);
  const content = readFileSync(file);
  const headers = {
    'content-type': types[extension] ?? 'application/octet-stream',
    'cache-control': 'max-age=600',
  };
  if (packed.has(extension)) return { body: content, headers };
  return { body: gzipSync(content), headers: { ...headers, 'content-encoding': 'gzip' } };
}

/** An answer of Chat Completions, word by word. */
async function answer(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, finishReason: string | null = null): void => {
    const chunk = {
      id: 'bench',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'bench',
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  for (let word = 0; word < WORDS; word++) {
    send(word === 0 ? { role: 'assistant', content: 'first ' } : { content: `word ${word} ` });
    await setTimeout(WORD_MS);
  }
  send({}, 'stop');
  response.end('data: [DONE]\n\n');
}
