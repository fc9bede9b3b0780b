import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The edge example as it is started by hand, behind a wire that is tapped. */
export type EdgeServer = {
  /** Its address for browsers. */
  readonly url: string;
  /** Its provider, which only accepts calls with the key. */
  readonly providerUrl: string;
  readonly key: string;
  /** What it has written to its log so far. */
  readonly events: readonly LogEvent[];
  /** Every byte between browsers and the server so far, both ways, each connection by itself. */
  wire(): string;
  close(): Promise<void>;
};

/** A line of the log: what happened, and some facts. */
export type LogEvent = { type: string; [fact: string]: unknown };

const folder = fileURLToPath(new URL('../../apps/edge-example', import.meta.url));

/** Starts it. The key is invented, and only the server gets it. */
export async function startEdgeServer(): Promise<EdgeServer> {
  const key = `sk-${crypto.randomUUID()}`;
  const connections: Buffer[][] = [];
  let port = 0;
  const tap = createServer((browser) => {
    const [up, down]: [Buffer[], Buffer[]] = [[], []];
    connections.push(up, down);
    const server = connect(port, '127.0.0.1');
    browser.on('data', (bytes) => up.push(bytes)).pipe(server);
    server.on('data', (bytes) => down.push(bytes)).pipe(browser);
    // a connection that one side closes is closed on the other side, too
    browser.on('error', () => server.destroy()).on('close', () => server.destroy());
    server.on('error', () => browser.destroy()).on('close', () => browser.destroy());
  });
  await once(tap.listen(0, '127.0.0.1'), 'listening');
  const url = `http://localhost:${(tap.address() as AddressInfo).port}`;

  const { OPENAI_API_KEY: _real, ...env } = process.env;
  const child = spawn(process.execPath, ['--conditions=@cueline/source', 'src/serve.ts'], {
    cwd: folder,
    env: { ...env, PORT: '0', ORIGINS: url, SIMULATED_API_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const events: LogEvent[] = [];
  let providerUrl = '';
  const ended = once(child, 'exit').then(() => {
    throw new Error(
      'The edge example ended. Is the React example built? Run pnpm test:e2e, which builds it.',
    );
  });
  // the client has disconnected
  ended.catch(() => {});
  const lines = createInterface(child.stdout);
  const started = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line.startsWith('{')) events.push(JSON.parse(line) as LogEvent);
      const address = /https?:\/\/[\w.:]+\S*/.exec(line)?.[0] ?? '';
      if (line.startsWith('Provider: ')) providerUrl = address;
      if (!line.startsWith('The React example')) return;
      port = Number(new URL(address).port);
      resolve();
    });
  });
  await Promise.race([started, ended]);
  return {
    url,
    providerUrl,
    key,
    events,
    wire: () => connections.map((chunks) => Buffer.concat(chunks).toString()).join('\n'),
    async close() {
      // the server does not wait for runs
      child.kill('SIGKILL');
      await ended.catch(() => {});
      tap.close();
    },
  };
}
