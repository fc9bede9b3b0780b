import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** A Restate server for a test. */
export type TestRestate = {
  /** The address at which it takes calls. */
  readonly ingress: string;
  /** Registers the address of a worker. */
  register(uri: string): Promise<void>;
  /** Returns the number of calls that have not ended. */
  calls(): Promise<number>;
  /** Kills it. Its data stays on the disk. */
  kill(): Promise<void>;
  /** Starts it again, unless it is running. */
  start(): Promise<void>;
  remove(): Promise<void>;
};

/** Starts the server `program`. `remove` deletes its data. */
export async function startRestate(program: string): Promise<TestRestate> {
  const folder = mkdtempSync(join(tmpdir(), 'cueline-restate-'));
  const [ingressPort, adminPort, nodePort] = await Promise.all([freePort(), freePort(), freePort()]);
  const ingress = `http://127.0.0.1:${ingressPort}`;
  const admin = `http://127.0.0.1:${adminPort}`;
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    if (isRunning(child)) return;
    child = spawn(program, ['--no-logo', '--node-name', 'test', '--base-dir', folder], {
      stdio: 'ignore',
      env: {
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
        RESTATE_BIND_ADDRESS: `127.0.0.1:${nodePort}`,
        RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${nodePort}`,
        RESTATE_DEFAULT_NUM_PARTITIONS: '2',
      },
    });
    for (const url of [`${admin}/health`, `${ingress}/restate/health`]) {
      for (
        let tries = 0;
        !(await fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ));
        tries += 1
      ) {
        if (tries === 300 || child.exitCode !== null)
          throw new Error(`${program} does not answer at ${url}.`);
        await setTimeout(100);
      }
    }
  }

  async function kill(): Promise<void> {
    if (!isRunning(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async function post(path: string, body: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const response = await fetch(`${admin}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  await start();
  return {
    ingress,
    register: async (uri) => void (await post('deployments', { uri, force: true })),
    async calls() {
      const query = "SELECT count(*) AS calls FROM sys_invocation_status WHERE status <> 'completed'";
      const { rows } = (await post('query', { query })) as { rows: { calls: number }[] };
      return Number(rows[0]?.calls);
    },
    kill,
    start,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Returns a port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}
