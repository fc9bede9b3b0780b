import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { chromium } from 'playwright';

// The headless shell has no window. The others load the page of their address bar for each new context, which takes a
// tenth of the processor's time in an end-to-end test.
const namesOnPath = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

const commonArgs = [
  // keep Chromium from waiting for hosts it cannot reach, and from calling any that the tests did not ask for
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  // Compiles with source positions from the start. While a debugger is attached, as Playwright's is, each request of
  // a page needs the positions of its callers, and V8 would otherwise parse whole files again for them, on the page's
  // thread.
  '--js-flags=--no-enable-lazy-source-positions',
];

/**
 * The launch options of every Chromium that the tests and benches start.
 * @param {string} [executablePath] defaults to the browser that is found without installing anything
 * @returns {{ executablePath?: string, args: string[] }}
 */
export function launchOptions(executablePath = findBrowser()) {
  // Chromium does not start its sandbox as root, and a container's user usually is root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox', ...commonArgs] : commonArgs;
  return executablePath ? { executablePath, args } : { args };
}

/**
 * A Chromium that starts: CUELINE_CHROMIUM, else Playwright's own, else one on the PATH.
 * @returns {string | undefined}
 */
export function findBrowser(env = process.env, own = chromium.executablePath()) {
  if (env.CUELINE_CHROMIUM) {
    if (starts(env.CUELINE_CHROMIUM)) return env.CUELINE_CHROMIUM;
    throw new Error(
      `CUELINE_CHROMIUM is "${env.CUELINE_CHROMIUM}", which is not a Chromium that starts. Correct it or unset it.`,
    );
  }
  return [own, ...onPath(env.PATH)].find(starts);
}

/**
 * Does the same, but installs a browser if there is none: from Playwright, else from Debian's packages.
 * @returns {string} the path of the executable
 */
export function ensureBrowser() {
  const found = findBrowser();
  if (found) return found;
  for (const { what, steps } of waysToInstall()) {
    console.log(`No Chromium found: trying ${what}`);
    if (!steps.every(run)) continue;
    const installed = findBrowser();
    if (installed) return installed;
  }
  throw new Error(
    'No Chromium could be found or installed. Install Chromium or Chrome, or set CUELINE_CHROMIUM to the path of ' +
      'one (on Linux, "npx playwright install --with-deps chromium" also brings the libraries it needs).',
  );
}

function waysToInstall() {
  const playwright = [process.execPath, playwrightCli()];
  const ways = [{ what: 'playwright install chromium', steps: [[...playwright, 'install', 'chromium']] }];
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    const update = ['apt-get', 'update'];
    for (const name of ['chromium-headless-shell', 'chromium']) {
      const install = ['apt-get', 'install', '-y', name];
      ways.push({ what: install.join(' '), steps: [update, install] });
    }
    // Ubuntu's chromium package is a snap, which containers cannot use: there Playwright's download needs its
    // libraries.
    ways.push({
      what: 'playwright install-deps chromium',
      steps: [[...playwright, 'install-deps', 'chromium']],
    });
  }
  return ways;
}

/** @param {string[]} command */
function run([program = '', ...args]) {
  const env = {
    // Five attempts are made: on a network that drops packets, they must not delay the next source for minutes.
    PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000',
    DEBIAN_FRONTEND: 'noninteractive',
    ...process.env,
  };
  return spawnSync(program, args, { stdio: 'inherit', env }).status === 0;
}

function playwrightCli() {
  return join(dirname(createRequire(import.meta.url).resolve('playwright/package.json')), 'cli.js');
}

/** @param {string | undefined} path */
function onPath(path = '') {
  const folders = path.split(delimiter).filter(Boolean);
  return namesOnPath.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/**
 * Whether the file is a browser that runs here. Existing is not enough: a download may lack its shared libraries, and
 * Ubuntu's /usr/bin/chromium-browser is a script that only says to install a snap.
 * @param {string} file
 */
function starts(file) {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return false;
  }
  // On Windows `--version` opens a window instead of printing.
  return process.platform === 'win32' || spawnSync(file, ['--version'], { timeout: 20_000 }).status === 0;
}
