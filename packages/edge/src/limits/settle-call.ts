import { withTimeout } from '../base/with-timeout.ts';
import type { LimitStore, Settlement } from './limit-store.ts';

/**
 * How often to try, for more than a minute: if the store was unavailable meanwhile, the reservation would last until
 * the end of its lease.
 */
const SETTLE_ATTEMPTS = 10;
const MAX_PAUSE_MS = 15_000;

/**
 * Ends a call in a store. Tries again while that fails. `onFailure` gets the first failure. Resolves with false if no
 * attempt succeeds. Never rejects. Each attempt may take `ms` milliseconds.
 */
export async function settleCall(
  store: Pick<LimitStore, 'settle'>,
  call: Settlement,
  onFailure: (error: unknown) => void,
  ms?: number,
): Promise<boolean> {
  for (let failures = 0; ;) {
    try {
      await withTimeout((async () => store.settle(call))(), ms);
      return true;
    } catch (error) {
      if (failures === 0) onFailure(error);
      failures += 1;
      if (failures === SETTLE_ATTEMPTS) return false;
      await new Promise((resolve) => setTimeout(resolve, Math.min(250 * 2 ** failures, MAX_PAUSE_MS)));
    }
  }
}
