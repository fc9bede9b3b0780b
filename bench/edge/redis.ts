import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findRedis } from '../../scripts/redis.mjs';

/** Starts a Redis server for the bench, without persistence. Returns undefined if no Redis is installed. */
export async function startRedis(): Promise<(Disposable & { path: string }) | undefined> {
  const program = findRedis();
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'cueline-bench-'));
  const path = join(folder, 'socket');
  const child = spawn(
    program,
    ['--port', '0', '--unixsocket', path, '--dir', folder, '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  );
  for (let tries = 0; !(await accepts(path)); tries += 1) {
    if (tries === 100) throw new Error(`${program} does not accept connections.`);
    await setTimeout(50);
  }
  return {
    path,
    [Symbol.dispose]() {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
