// Serves a built app and opens it in Chromium.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import process from 'node:process';
import { chromium } from 'playwright';
import { ensureBrowser, launchOptions } from './browser.mjs';
import { environment } from './outside-folder.mjs';

/**
 * Serves an app during `use`. Throws with the server's output.
 * @param {string} cwd
 * @param {(port: string) => [file: string, ...args: string[]]} command what serves the app
 * @param {string} port `0` for any
 * @param {(address: string) => Promise<void>} use
 */
export async function withServer(cwd, command, port, use) {
  const chosen = port === '0' ? await freePort() : port;
  const server = spawn(process.execPath, command(chosen), { cwd, env: environment, stdio: 'pipe' });
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (said += String(text)));
  try {
    const address = `http://localhost:${chosen}/`;
    await reachable(address, () => server.exitCode !== null);
    await use(address);
  } catch (error) {
    throw new Error(`${String(error)}\nThe server said: ${said}`, { cause: error });
  } finally {
    server.kill();
  }
}

/**
 * Serves an app while `look` uses its page. Throws the errors of the page and its console.
 * @param {string} cwd
 * @param {(port: string) => [file: string, ...args: string[]]} command what serves the app
 * @param {string} port `0` for any
 * @param {(page: import('playwright').Page) => Promise<void>} look
 */
export async function withPage(cwd, command, port, look) {
  await withServer(cwd, command, port, async (address) => {
    const browser = await chromium.launch(launchOptions(ensureBrowser()));
    try {
      const page = await browser.newPage();
      /** @type {string[]} */
      const faults = [];
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) faults.push(message.text());
      });
      await page.goto(address);
      try {
        await look(page);
      } catch (error) {
        const shown = await page.locator('body').innerText();
        throw new Error(`${String(error)}\nThe page shows:\n${shown}`, { cause: error });
      }
      if (faults.length > 0) throw new Error(`The page of ${cwd} reports: ${faults.join('\n')}`);
    } finally {
      await browser.close();
    }
  });
}

/**
 * @param {string} address
 * @param {() => boolean} hasEnded
 */
async function reachable(address, hasEnded) {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline && !hasEnded()) {
    const response = await fetch(address).catch(() => undefined);
    // 404 is an answer, too
    if (response !== undefined && response.status < 500) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  throw new Error(`Nothing answers at ${address}.`);
}

/** @returns {Promise<string>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, () => {
      const address = probe.address();
      probe.close(() => resolve(String(typeof address === 'object' ? address?.port : '')));
    });
  });
}
