import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDurable, inProcessDriver, type Durable } from '@cueline/durable';
import { createSqlStore } from '@cueline/durable/sql';
import type { LimitStore } from '@cueline/edge';
import { PGlite } from '@electric-sql/pglite';
import { createGuard } from './limits.ts';
import { prompts } from './prompts.ts';

/** How long a shutdown waits for the steps in progress, in ms: less than the whole process has. */
const GRACE_MS = 8_000;

/** Runs in a folder, and what else has to survive a restart. */
export type StoredRuns = {
  durable: Durable;
  /** Signs the sessions. A run belongs to a session, so a new secret would separate users from their runs. */
  sessionSecret: string;
  /** Lets the steps in progress end, and closes the database. */
  close(): Promise<void>;
};

/**
 * Opens the runs in a folder, creating it if there is none, and continues those that have not ended. A folder belongs
 * to one process at a time. `variables` has the key of the provider, and `limitStore` counts what the runs use.
 */
export async function openRuns(
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
  limitStore: LimitStore,
): Promise<StoredRuns> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const sessionSecret = await readSecret(join(folder, 'session-secret'));
  const database = await PGlite.create(join(folder, 'database'));
  const durable = createDurable({
    prompts,
    store: createSqlStore(database),
    models: { env: variables },
    guard: createGuard(limitStore),
    driver: inProcessDriver({ graceMs: GRACE_MS }),
  });
  const worker = await durable.work();
  return {
    durable,
    sessionSecret,
    async close() {
      await worker.stop();
      await database.close();
    },
  };
}

/** Returns the secret in a file that only its owner can read, creating it the first time. */
async function readSecret(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (known !== undefined) return known;
  const secret = randomBytes(32).toString('hex');
  // renamed once it is whole, so that a crash leaves no part of a secret
  await writeFile(`${file}.new`, secret, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return secret;
}
