import { HttpError, isHttpError } from '../http/respond.ts';
import { switchedOff } from '../limits/kill-switch.ts';
import { startTimeout } from './timeouts.ts';

/** Why a call was cut off: the caller disconnected, its time was over, or the operator ended all calls. */
export type CutOff = 'client' | 'timeout' | 'switch';

/** A request to a provider: of the caller's request, it contains only the checked body. */
export type ProviderRequest = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Time until the first byte of the answer. */
  ttfbMs: number;
  controller: AbortController;
};

/** Sends a call and waits for the answer to begin. Throws an HttpError: 499, 502 or 504. */
export async function callProvider(
  fetch: typeof globalThis.fetch,
  { url, headers, body, ttfbMs, controller }: ProviderRequest,
): Promise<Response> {
  const { signal } = controller;
  const stop = startTimeout(ttfbMs, () => controller.abort('timeout' satisfies CutOff));
  const cut = new Promise<never>((_resolve, reject) => {
    const aborted = (): void => reject(new Error('The call was cut off.'));
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
  });
  const answer = (async () => fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }))();
  try {
    // A fetch that ignores its signal must not keep the caller waiting.
    const response = await Promise.race([answer, cut]);
    if (isRedirect(response)) {
      discardBody(response);
      // A redirect would send the key to another address.
      throw new HttpError('upstream_redirect', 'The provider answered with a redirect, which is refused.');
    }
    return response;
  } catch (error) {
    if (isHttpError(error)) throw error;
    answer.then(discardBody).catch(() => {});
    throw (
      cutOffError(signal) ??
      new HttpError('upstream_unreachable', 'The provider could not be reached. Try again in a while.', {
        cause: error,
      })
    );
  } finally {
    stop();
  }
}

/** The refusal for a call that was cut off; undefined for any other call. */
export function cutOffError(signal: AbortSignal): HttpError | undefined {
  if (!signal.aborted) return undefined;
  if (signal.reason === 'switch') return new HttpError('unavailable', switchedOff);
  return signal.reason === 'timeout'
    ? new HttpError('upstream_timeout', 'The provider did not answer in time. Try again.')
    : new HttpError('client_closed', 'The caller went away.');
}

/** Discards an answer that has no reader, and closes its connection. */
export function discardBody(response: Response): void {
  response.body?.cancel().catch(() => {});
}

function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
}
