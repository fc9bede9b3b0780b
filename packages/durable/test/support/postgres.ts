import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { findPostgres, howToInstallPostgres } from '../../../../scripts/postgres.mjs';

/** Defines tests with their own Postgres server, which is deleted after them. Skipped if no server can be started. */
export function describeWithPostgres(name: string, define: (connect: () => Pool) => void): void {
  const programs = findPostgres();
  const user = userOfServer();
  const canRun = programs !== undefined && user !== undefined;
  if (!canRun) {
    process.stderr.write(`Skipped without a Postgres server: ${name}. To run it, ${howToInstallPostgres}.\n`);
  }
  let folder = '';
  let server: ChildProcess | undefined;
  let pool: Pool | undefined;

  async function start(): Promise<void> {
    folder = mkdtempSync(join(tmpdir(), 'cueline-pg-'));
    if (user?.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    const options = { ...user, cwd: folder };
    execFileSync(
      join(programs ?? '', 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale', 'C'],
      { ...options, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off'];
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    server = spawn(join(programs ?? '', 'postgres'), args, { ...options, stdio: 'ignore' });
    pool = new Pool({ host: folder, user: 'postgres', database: 'postgres' });
    pool.on('error', () => {});
    for (let tries = 0; ; tries += 1) {
      try {
        await pool.query('SELECT 1');
        return;
      } catch (error) {
        if (tries > 200) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  describe.skipIf(!canRun)(name, () => {
    beforeAll(start, 120_000);
    afterAll(async () => {
      await pool?.end();
      if (server !== undefined && server.exitCode === null) {
        const ended = once(server, 'exit');
        server.kill('SIGQUIT');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    });
    define(() => {
      if (pool === undefined) throw new Error('The server has not started.');
      return pool;
    });
  });
}

/** Returns the user for the server, because Postgres does not run as root; undefined if there is only root. */
function userOfServer(): { uid?: number; gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  try {
    const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { stdio: 'pipe' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}
