import { loadPart } from '../../base/load-part.ts';
import type * as Calls from './agent-calls.ts';

/** Loads what conducts calls. A page that only names its agents does not pay for it. */
export function loadCall(): Promise<typeof Calls> {
  return loadPart('agent calls', import('./agent-calls.ts'));
}
