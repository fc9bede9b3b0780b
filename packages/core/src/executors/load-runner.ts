import { loadPart } from '../base/load-part.ts';
import type * as Runner from './runner.ts';

/** Loads what makes runs, and the AI SDK with it. A page that only shows runs does not pay for it. */
export function loadRunner(): Promise<typeof Runner> {
  return loadPart('runs', import('./runner.ts'));
}
