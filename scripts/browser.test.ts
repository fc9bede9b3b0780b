import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findBrowser, launchOptions } from './browser.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cueline-browser-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, exitCode = 0): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\nexit ${exitCode}\n`);
  chmodSync(file, 0o755);
  return file;
}

test('CUELINE_CHROMIUM comes first, then Playwright’s own, then the PATH', () => {
  const [chosen, own, onPath] = [program('chosen'), program('own'), program('chromium')];
  const path = ['/nowhere', folder].join(delimiter);
  expect(findBrowser({ CUELINE_CHROMIUM: chosen, PATH: path }, own)).toBe(chosen);
  expect(findBrowser({ PATH: path }, own)).toBe(own);
  expect(findBrowser({ PATH: path }, join(folder, 'missing'))).toBe(onPath);
  expect(findBrowser({ PATH: '/nowhere' }, join(folder, 'missing'))).toBeUndefined();
});

test('a headless shell on the PATH comes before a Chromium with a window', () => {
  program('chromium');
  const shell = program('chromium-headless-shell');
  expect(findBrowser({ PATH: folder }, join(folder, 'missing'))).toBe(shell);
});

test('a program that does not start is passed over', () => {
  const own = program('own', 127);
  program('chromium-browser', 1);
  const chrome = program('google-chrome');
  expect(findBrowser({ PATH: folder }, own)).toBe(chrome);
});

test('a wrong CUELINE_CHROMIUM is an error that names it, not a fallback', () => {
  program('chromium');
  expect(() => findBrowser({ CUELINE_CHROMIUM: '/no/such/browser', PATH: folder }, '')).toThrow(
    /CUELINE_CHROMIUM is "\/no\/such\/browser", which is not a Chromium that starts/,
  );
});

test('the launch options name the browser and keep it off the network', () => {
  expect(launchOptions('/the/browser')).toMatchObject({
    executablePath: '/the/browser',
    args: expect.arrayContaining(['--disable-background-networking', '--disable-component-update']),
  });
});
