import { createDownload, type streamText } from 'ai';
import { anySignal } from '../any-signal.ts';
import { CuelineError } from '../errors.ts';
import { fetchPinned, isAddress, resolveHost, type Address } from '../models/pinned-fetch.ts';
import { isPublicAddress } from '../models/public-address.ts';

/** What `options.experimental_download` takes. */
export type Download = NonNullable<Parameters<typeof streamText>[0]['experimental_download']>;

/** How the files that messages name are downloaded. */
export type DownloadSettings = {
  /** Where it is true for a URL, it has to be true for each redirect that follows. */
  fileUrls?: ((url: URL) => boolean) | undefined;
  /** The addresses of a name; undefined where this platform cannot tell. */
  resolve?: (host: string) => Promise<readonly Address[] | undefined>;
  /** Which addresses may be connected to. Default: those of the public internet. */
  isPublic?: (address: string) => boolean;
  maxBytes?: number;
  timeoutMs?: number;
};

const MAX_REDIRECTS = 3;
const MAX_BYTES = 20 << 20;
const TIMEOUT_MS = 30_000;

/**
 * Downloads the files that messages name by a URL, for models that do not take URLs. Takes http and https; each hop
 * must lead to the public internet, by its address or by all that its name resolves to, and the connection goes to the
 * address that was checked. At most 3 redirects, 20 MB and 30 seconds. In a browser, only the last two hold.
 */
export function guardedDownload(settings: DownloadSettings = {}): Download {
  const { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS } = settings;
  return (requests) =>
    Promise.all(
      requests.map(async ({ url, isUrlSupportedByModel, abortSignal }) => {
        if (isUrlSupportedByModel) return null;
        const timeout = AbortSignal.timeout(timeoutMs);
        return createDownload({ maxBytes, fetch: guardedFetch(url, settings) })({
          url,
          abortSignal: anySignal(timeout, abortSignal),
        });
      }),
    );
}

/** Fetches one hop after the other; the AI SDK follows the redirects, and asks here for each. */
function guardedFetch(first: URL, settings: DownloadSettings): typeof fetch {
  const { fileUrls, resolve = resolveHost, isPublic = isPublicAddress } = settings;
  const restricted = fileUrls?.(first) === true ? fileUrls : undefined;
  let hops = 0;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    hops += 1;
    if (hops > MAX_REDIRECTS + 1) throw refused(url, `comes after more than ${MAX_REDIRECTS} redirects`);
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw refused(url, 'is neither http nor https');
    if (restricted?.(url) === false) throw refused(url, 'is one to which fileUrls says no');
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const addresses = isAddress(url)
      ? [{ address: host, family: host.includes(':') ? 6 : 4 }]
      : await resolve(host);
    if (addresses === undefined) return fetch(url, init);
    const [pinned] = addresses;
    if (pinned === undefined || !addresses.every(({ address }) => isPublic(address))) {
      throw refused(url, 'does not lead to the public internet');
    }
    return fetchPinned(url, init, pinned);
  };
}

function refused(url: URL, why: string): CuelineError {
  return new CuelineError(
    'redirect_blocked',
    `A file was not downloaded: ${url.origin} ${why}. Give the file itself, such as its bytes.`,
  );
}
