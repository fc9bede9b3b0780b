// node scripts/with-browser.mjs <command> [...args]: runs the command with CUELINE_CHROMIUM set to a Chromium that
// starts, and unit tests with a Redis, a Postgres and a Restate server, where there are some or CI can install them.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { ensureBrowser } from './browser.mjs';
import { ensurePostgres } from './postgres.mjs';
import { ensureRedis } from './redis.mjs';
import { ensureRestateInCi } from './restate.mjs';

const [command, ...args] = process.argv.slice(2);
if (!command) fail('Usage: node scripts/with-browser.mjs <command> [...args]');

try {
  process.env.CUELINE_CHROMIUM = ensureBrowser();
  if (command === 'vitest') {
    ensureRedis();
    ensurePostgres();
    ensureRestateInCi();
  }
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
child.on('error', (error) => fail(`Could not start ${command}: ${error.message}`));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
