import { createDownload, type streamText } from 'ai';
import { anySignal } from '../base/any-signal.ts';
import { CuelineError } from '../base/errors.ts';
import { fetchPinned, isAddress, resolveHost, type Address } from '../models/pinned-fetch.ts';
import { isPublicAddress } from '../models/public-address.ts';

/** The type of `options.experimental_download`. */
export type Download = NonNullable<Parameters<typeof streamText>[0]['experimental_download']>;

/** How the files in messages are downloaded. */
export type DownloadSettings = {
  /** Whether a URL may be downloaded. Checked for each redirect, too. */
  fileUrls?: ((url: URL) => boolean) | undefined;
  /** Returns the addresses of a name; undefined if this platform cannot resolve names. */
  resolve?: (host: string) => Promise<readonly Address[] | undefined>;
  /** True for addresses that may be connected to. Default: those of the public internet. */
  isPublic?: (address: string) => boolean;
  /** The maximum size of one file, in bytes. Default 20 MB. */
  maxBytes?: number;
  /** The time limit of one file, in milliseconds. Default 30 seconds. */
  timeoutMs?: number;
  /** The maximum number of files of one request to the model; a repeated URL counts once. Default 32. */
  maxFiles?: number;
  /** The maximum size of all files of one request to the model, in bytes. Default 64 MB. */
  maxTotalBytes?: number;
};

type DownloadRequest = Parameters<Download>[0][number];
type DownloadedFile = NonNullable<Awaited<ReturnType<Download>>[number]>;

const MAX_REDIRECTS = 3;
const MAX_BYTES = 20 << 20;
const TIMEOUT_MS = 30_000;
const MAX_FILES = 32;
const MAX_TOTAL_BYTES = 64 << 20;
const MAX_CONCURRENT = 4;

/**
 * Downloads the files that messages name by URL, for models that do not take URLs. Takes http and https. Each
 * hop must lead to the public internet, by its address or by all addresses of its name, and the connection goes
 * to the checked address. At most 3 redirects, 20 MB and 30 seconds for each file, and 32 files and 64 MB for
 * each request to the model, each URL once and four at a time. A browser follows redirects itself.
 * @throws CuelineError `too_large` for more files than that, `redirect_blocked` for a redirect that leads
 * elsewhere
 */
export function guardedDownload(settings: DownloadSettings = {}): Download {
  const { maxFiles = MAX_FILES } = settings;
  return async (requests) => {
    const wanted = new Map(
      requests.flatMap((request) => (request.isUrlSupportedByModel ? [] : [[request.url.href, request]])),
    );
    if (wanted.size > maxFiles) {
      throw new CuelineError(
        'too_large',
        `The messages name ${wanted.size} files to download, but one request takes at most ${maxFiles}. Leave some out, or give options.experimental_download: guardedDownload({ maxFiles: ${wanted.size} }).`,
      );
    }
    const files = await downloadAll(wanted, settings);
    return requests.map(({ url, isUrlSupportedByModel }) =>
      isUrlSupportedByModel ? null : (files.get(url.href) ?? null),
    );
  };
}

/** Downloads a few files at a time. If one fails, the others stop. */
async function downloadAll(
  wanted: ReadonlyMap<string, DownloadRequest>,
  settings: DownloadSettings,
): Promise<ReadonlyMap<string, DownloadedFile>> {
  const { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS } = settings;
  const count = countBytes(settings.maxTotalBytes ?? MAX_TOTAL_BYTES);
  const files = new Map<string, DownloadedFile>();
  const failed = new AbortController();
  const queue = wanted.entries();
  const downloadNext = async (): Promise<void> => {
    for (const [href, { url, abortSignal }] of queue) {
      const signal = anySignal(AbortSignal.timeout(timeoutMs), abortSignal, failed.signal);
      const download = createDownload({ maxBytes, fetch: guardedFetch(url, settings, count) });
      files.set(href, await download({ url, abortSignal: signal }));
      if (failed.signal.aborted) return;
    }
  };
  try {
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, downloadNext));
  } catch (error) {
    failed.abort();
    throw error;
  }
  return files;
}

/** Counts the bytes of all given responses. Reading beyond the limit is an error. */
function countBytes(limit: number): (response: Response) => Response {
  let total = 0;
  return (response) => {
    if (!response.ok || response.body === null) return response;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          total += chunk.length;
          if (total <= limit) return controller.enqueue(chunk);
          throw new CuelineError(
            'too_large',
            `The files that the messages name have more than ${limit} bytes in total. Leave some out, or give options.experimental_download: guardedDownload({ maxTotalBytes }).`,
          );
        },
      }),
    );
    return new Response(counted, { status: response.status, headers: response.headers });
  };
}

/** Fetches one hop at a time. The AI SDK follows the redirects and calls this for each. */
function guardedFetch(
  first: URL,
  settings: DownloadSettings,
  count: (response: Response) => Response,
): typeof fetch {
  const { fileUrls, resolve = resolveHost, isPublic = isPublicAddress } = settings;
  const restricted = fileUrls?.(first) === true ? fileUrls : undefined;
  let hops = 0;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    hops += 1;
    if (hops > MAX_REDIRECTS + 1)
      throw downloadRefusedError(url, `comes after more than ${MAX_REDIRECTS} redirects`);
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw downloadRefusedError(url, 'is neither http nor https');
    if (restricted?.(url) === false) throw downloadRefusedError(url, 'is not allowed by fileUrls');
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const addresses = isAddress(url)
      ? [{ address: host, family: host.includes(':') ? 6 : 4 }]
      : await resolve(host);
    if (addresses === undefined) return count(await fetch(url, init));
    const [pinned] = addresses;
    if (pinned === undefined || !addresses.every(({ address }) => isPublic(address))) {
      throw downloadRefusedError(url, 'does not lead to the public internet');
    }
    return count(await fetchPinned(url, init, pinned));
  };
}

function downloadRefusedError(url: URL, why: string): CuelineError {
  return new CuelineError(
    'redirect_blocked',
    `A file was not downloaded: ${url.origin} ${why}. Give the file itself, such as its bytes.`,
  );
}
