import type { BrowserContext } from '@playwright/test';

/** Records what goes wrong in the pages of a context: errors and warnings on the console, and uncaught errors. */
export function watchFaults(context: BrowserContext): { faults: string[]; said: string[] } {
  const faults: string[] = [];
  const said: string[] = [];
  context.on('console', (message) => {
    said.push(message.text());
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(String(error.error())));
  return { faults, said };
}
