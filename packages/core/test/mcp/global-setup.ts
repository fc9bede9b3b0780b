import type { TestProject } from 'vitest/node';
import { startHttpNotes } from './http.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests in a browser reach the notes server. */
    notesUrl: string;
  }
}

/** Starts the notes server for the tests that run in a browser, which cannot start it themselves. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startHttpNotes();
  provide('notesUrl', server.url);
  return async () => server[Symbol.asyncDispose]();
}
