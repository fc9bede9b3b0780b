import { switchedOff } from '../limits/kill-switch.ts';
import { Refusal } from '../http/respond.ts';
import { after } from './after.ts';

/** Why a call was cut off: the caller went away, the time is over, or the operator ends all calls. */
export type CutOff = 'client' | 'timeout' | 'switch';

/** What is sent to a provider: nothing of the caller's request but the checked body. */
export type ProviderRequest = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** For the first byte of the answer. */
  ttfbMs: number;
  controller: AbortController;
};

/** Sends a call and waits for the answer to begin. Throws a Refusal: 499, 502 or 504. */
export async function callProvider(
  fetch: typeof globalThis.fetch,
  { url, headers, body, ttfbMs, controller }: ProviderRequest,
): Promise<Response> {
  const { signal } = controller;
  const stop = after(ttfbMs, () => controller.abort('timeout' satisfies CutOff));
  const cut = new Promise<never>((_resolve, reject) => {
    const aborted = (): void => reject(new Error('The call was cut off.'));
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
  });
  const answer = (async () => fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }))();
  try {
    // A fetch that does not listen to its signal must not keep the caller waiting.
    const response = await Promise.race([answer, cut]);
    if (isRedirect(response)) {
      discardBody(response);
      // Another address would be given the key.
      throw new Refusal('upstream_redirect', 'The provider answered with a redirect, which is refused.');
    }
    return response;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    answer.then(discardBody).catch(() => {});
    throw cutOffRefusal(signal) ?? new Refusal('upstream_unreachable', 'The provider could not be reached.');
  } finally {
    stop();
  }
}

/** What a call that was cut off is refused with; undefined for one that was not. */
export function cutOffRefusal(signal: AbortSignal): Refusal | undefined {
  if (!signal.aborted) return undefined;
  if (signal.reason === 'switch') return new Refusal('unavailable', switchedOff);
  return signal.reason === 'timeout'
    ? new Refusal('upstream_timeout', 'The provider did not answer in time.')
    : new Refusal('client_closed', 'The caller went away.');
}

/** Lets go of an answer that nobody reads, and of its connection. */
export function discardBody(response: Response): void {
  response.body?.cancel().catch(() => {});
}

function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
}
