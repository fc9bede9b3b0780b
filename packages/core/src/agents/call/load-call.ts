import { loadModule } from '../../base/load-module.ts';
import type * as Calls from './agent-calls.ts';

/** Loads the code of calls. A page that only defines agents does not load it. */
export function loadCall(): Promise<typeof Calls> {
  return loadModule('agent calls', import('./agent-calls.ts'));
}
