import { CuelineError } from '../errors.ts';
import type * as Runner from './runner.ts';

/** Loads what makes runs, and the AI SDK with it. A page that only shows runs does not pay for it. */
export function loadRunner(): Promise<typeof Runner> {
  return import('./runner.ts').catch(notLoaded);
}

function notLoaded(error: unknown): never {
  throw new CuelineError(
    'network',
    'The part of Cueline that runs prompts could not be loaded. Check the connection, reload the page, and try again.',
    { cause: error },
  );
}
