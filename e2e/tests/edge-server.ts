import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The edge example, started as a user starts it, behind a proxy that records all traffic. */
export type EdgeServer = {
  /** Its address for browsers. */
  readonly url: string;
  /** Its provider, which only accepts calls with the key. */
  readonly providerUrl: string;
  readonly key: string;
  /** The lines that it has written to its log so far, in all its processes. */
  readonly events: readonly LogEvent[];
  /** Every byte between browsers and the server so far, in both directions, each connection separately. */
  wire(): string;
  /**
   * Waits for a line of this type in the log, and kills the process at once, as the system would, without a warning.
   */
  killAt(type: string): Promise<void>;
  /** Starts it again at the same port after it was killed. */
  startAgain(): Promise<void>;
  close(): Promise<void>;
};

/** A line of the log: what happened, and some facts. */
export type LogEvent = { type: string; [fact: string]: unknown };

const folder = fileURLToPath(new URL('../../apps/edge-example', import.meta.url));

/** Starts it, with these variables. The key is invented, and only the server gets it. */
export async function startEdgeServer(variables: Record<string, string> = {}): Promise<EdgeServer> {
  const key = `sk-${crypto.randomUUID()}`;
  const connections: Buffer[][] = [];
  let running: ServerProcess | undefined;
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

  const events: LogEvent[] = [];
  const listeners = new Set<(event: LogEvent) => void>();
  async function start(): Promise<void> {
    running = await startProcess(
      { ...variables, PORT: String(port), ORIGINS: url, SIMULATED_API_KEY: key },
      (event) => {
        events.push(event);
        for (const listener of listeners) listener(event);
      },
    );
    port = running.port;
  }
  await start();
  return {
    url,
    get providerUrl() {
      return running?.providerUrl ?? '';
    },
    key,
    events,
    wire: () => connections.map((chunks) => Buffer.concat(chunks).toString()).join('\n'),
    killAt: (type) =>
      new Promise((resolve, reject) => {
        const listener = (event: LogEvent): void => {
          if (event.type !== type) return;
          listeners.delete(listener);
          // at once: the tool that has started does not wait
          running?.kill().then(resolve, reject);
        };
        listeners.add(listener);
      }),
    startAgain: start,
    async close() {
      // the server does not wait for runs
      await running?.kill();
      tap.close();
    },
  };
}

type ServerProcess = { port: number; providerUrl: string; kill(): Promise<void> };

/** Resolves once the server listens. */
async function startProcess(
  variables: Record<string, string>,
  onEvent: (event: LogEvent) => void,
): Promise<ServerProcess> {
  const { OPENAI_API_KEY: _real, ...env } = process.env;
  const child: ChildProcess = spawn(process.execPath, ['--conditions=@cueline/source', 'src/serve.ts'], {
    cwd: folder,
    env: { ...env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let providerUrl = '';
  const ended = once(child, 'exit').then(() => {
    throw new Error(
      'The edge example ended. Is the React example built? Run pnpm test:e2e, which builds it.',
    );
  });
  // the client has disconnected
  ended.catch(() => {});
  const started = new Promise<number>((resolve) => {
    createInterface(child.stdout!).on('line', (line) => {
      if (line.startsWith('{')) onEvent(JSON.parse(line) as LogEvent);
      const address = /https?:\/\/[\w.:]+\S*/.exec(line)?.[0] ?? '';
      if (line.startsWith('Provider: ')) providerUrl = address;
      if (line.startsWith('The React example')) resolve(Number(new URL(address).port));
    });
  });
  const port = await Promise.race([started, ended]);
  return {
    port,
    providerUrl,
    async kill() {
      child.kill('SIGKILL');
      await ended.catch(() => {});
    },
  };
}
