import { loadModule } from '../base/load-module.ts';
import type * as Runner from './runner.ts';

/** Loads the engine and the AI SDK. A page that only shows runs does not load them. */
export function loadRunner(): Promise<typeof Runner> {
  return loadModule('runs', import('./runner.ts'));
}
