/**
 * The launch options of every Chromium that the tests and benches start; by default the one that {@link findBrowser}
 * finds.
 */
export function launchOptions(executablePath?: string): { executablePath?: string; args: string[] };

/** A Chromium that starts: CUELINE_CHROMIUM, else Playwright's own, else one on the PATH. */
export function findBrowser(env?: Record<string, string | undefined>, own?: string): string | undefined;

/** The same, but gets a browser where there is none, and throws an error that says what to do where that fails. */
export function ensureBrowser(): string;
