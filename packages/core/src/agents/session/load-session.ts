import { loadPart } from '../../base/load-part.ts';
import type * as Session from './session-policy.ts';

/** Loads the code of sessions. A page that only shows them does not load it. */
export function loadSession(): Promise<typeof Session> {
  return loadPart('sessions', import('./session-policy.ts'));
}
