import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe } from 'vitest';
import { findRedis, howToInstallRedis } from '../../../../scripts/redis.mjs';

export type TestRedis = {
  /** Where it listens. */
  readonly path: string;
  /** Another connection, which is closed after the tests. */
  connect(): Promise<TestClient>;
  /** Ends its process at once. What was written stays. */
  kill(): Promise<void>;
  /** Starts it again, unless it is running. */
  start(): Promise<void>;
  /** Has everything expire so much earlier. */
  advance(ms: number): Promise<void>;
};

export type TestClient = ReturnType<typeof clientOf>;

const clientOf = (path: string) => createClient({ socket: { path, reconnectStrategy: 50 } });

/**
 * Ends the server with the process that started it, however that ends, because the pipe that `cat` reads then breaks.
 */
const watchdog = `exec 3<&0; "$0" "$@" & pid=$!; (cat <&3; kill -9 $pid) >/dev/null 2>&1 & wait $pid`;

/** Tests with a server of their own, whose data ends with them. They are skipped where no server can be started. */
export function describeWithRedis(
  name: string,
  define: (redis: TestRedis) => void,
  more: Readonly<Record<string, string>> = {},
): void {
  const program = findRedis();
  if (program === undefined) {
    process.stderr.write(
      `Skipped, because no Redis server was found: ${name}. To run it, ${howToInstallRedis}.\n`,
    );
  }
  const folder = join(tmpdir(), `cueline-redis-${randomUUID()}`);
  const path = join(folder, 'socket');
  const clients: TestClient[] = [];
  let running: ChildProcess | undefined;

  async function connect(): Promise<TestClient> {
    const client = clientOf(path);
    client.on('error', () => {});
    clients.push(client);
    await client.connect();
    return client;
  }

  async function start(): Promise<void> {
    if (running !== undefined && running.exitCode === null) return;
    mkdirSync(folder, { recursive: true });
    const settings = {
      port: '0',
      unixsocket: path,
      dir: folder,
      save: '',
      appendonly: 'yes',
      // a write is in the file before its answer, so that the end of the process loses nothing; a disk may take its
      // time
      appendfsync: 'no',
      loglevel: 'warning',
      ...more,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn('sh', ['-c', watchdog, program!, ...args]);
    running = child;
    const client = clientOf(path);
    client.on('error', () => {});
    let said = '';
    child.stdout.on('data', (text) => (said += String(text)));
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`No Redis: ${said}`)));
    // of interest only until it answers
    ended.catch(() => {});
    await Promise.race([client.connect().then(() => loaded(client)), ended]).finally(() => client.destroy());
  }

  /** Waits until the server has read its data. It accepts connections before that. */
  async function loaded(client: TestClient): Promise<void> {
    while (!(await client.ping().then(Boolean, () => false))) await setTimeout(20);
  }

  async function kill(): Promise<void> {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
  }

  async function advance(ms: number): Promise<void> {
    const client = await connect();
    for await (const keys of client.scanIterator()) {
      for (const key of keys) {
        const left = await client.pTTL(key);
        if (left >= 0) await client.pExpire(key, Math.max(0, left - ms));
      }
    }
  }

  describe.skipIf(program === undefined)(name, () => {
    // processes start slowly on a machine that has other things to do, and a hook gets no second attempt
    beforeAll(start, 60_000);
    afterAll(async () => {
      for (const client of clients) if (client.isOpen) client.destroy();
      await kill();
      rmSync(folder, { recursive: true, force: true });
    });
    define({ path, connect, kill, start, advance });
  });
}
