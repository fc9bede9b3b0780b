/** The limits of a share store: what it takes, and for how long. */
export type ShareTerms = { lifetimeMs: number };
/** A share: its id, when it expires, in ms since 1970, and its delete key, if the store has them. */
export type UploadedShare = { id: string; expiresAt: number; deleteKey?: string };

/** Why something could not be shared or opened, in a sentence for the user. */
export class ShareError extends Error {
  override readonly name: 'ShareError' = 'ShareError';
}

/** A longer response is cut off; every share is shorter. */
const MAX_BYTES = 2_000_000;
const TIMEOUT_MS = 30_000;

/**
 * The address of the store that this page's host has set up, from `<meta name="cueline-shares">`; undefined
 * if there is none. Never from a link: its author would choose where runs are sent.
 */
export function readShareAddress(content: string | null | undefined, page: string): string | undefined {
  const text = content?.trim() ?? '';
  if (text === '' || !URL.canParse(text, page)) return undefined;
  const url = new URL(text, page);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** The store's limits. Throws a {@link ShareError}. */
export async function askTerms(address: string, signal: AbortSignal): Promise<ShareTerms> {
  const { lifetimeMs } = parse((await ask(address, {}, signal)).text) as Partial<ShareTerms>;
  if (typeof lifetimeMs !== 'number' || !(lifetimeMs > 0)) throw unclear();
  return { lifetimeMs };
}

/** Uploads the content of a link. Throws a {@link ShareError}. */
export async function putShare(address: string, content: string): Promise<UploadedShare> {
  const headers = { 'content-type': 'application/octet-stream' };
  const sent = { method: 'POST', headers, body: content, credentials: 'include' } as const;
  const { text } = await ask(address, sent);
  const { id, expiresAt, deleteKey } = parse(text) as Partial<UploadedShare>;
  if (typeof id !== 'string' || typeof expiresAt !== 'number') throw unclear();
  return { id, expiresAt, ...(typeof deleteKey === 'string' ? { deleteKey } : {}) };
}

/** Deletes the share with this id, or finds that it is gone. Throws a {@link ShareError}. */
export async function deleteShare(
  address: string,
  id: string,
  deleteKey: string,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'x-delete-key': deleteKey };
  await ask(`${address}/${id}`, { method: 'DELETE', headers, credentials: 'include' }, signal, [404]);
}

/** The content of the share with this id; undefined if nothing is shared under it. Throws a {@link ShareError}. */
export async function getShare(
  address: string,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { status, text } = await ask(`${address}/${id}`, {}, signal, [404]);
  return status === 404 ? undefined : text;
}

async function ask(
  url: string,
  sent: RequestInit,
  signal?: AbortSignal,
  fine: readonly number[] = [],
): Promise<{ status: number; text: string }> {
  let response: Response;
  try {
    response = await fetch(url, {
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      ...sent,
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal === undefined ? [] : [signal])]),
    });
    if (response.ok || fine.includes(response.status)) {
      const text = await readText(response);
      // no share and no answer of a store begins like this
      if (/^\s*</.test(text)) throw webPage();
      return { status: response.status, text };
    }
  } catch (error) {
    if (error instanceof ShareError) throw error;
    throw new ShareError(
      navigator.onLine
        ? 'The share store cannot be reached. Try again in a minute.'
        : 'You are offline. Try again once you are back.',
      { cause: error },
    );
  }
  throw new ShareError(
    reasons[response.status] ?? `The share store failed (${response.status}). Try again in a minute.`,
  );
}

const notAStore =
  'The server at this page’s address for shared runs is not a share store. Share a link that carries the content itself.';

const reasons: Partial<Record<number, string>> = {
  401: 'You need to be signed in on this site to share.',
  403: 'The share store does not accept requests from this page. Its operator can add this site to origins.',
  404: notAStore,
  413: 'This is too large for the share store. Share it without the run or the results, or save it as a file.',
  429: 'This browser has asked the share store too often in a short time. Try again later.',
};

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length <= MAX_BYTES) continue;
    void reader?.cancel();
    throw new ShareError(
      'The content of this link is too large for a shared run, so it was not opened. Ask for it as a file.',
    );
  }
}

function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // reported below
  }
  throw unclear();
}

function webPage(): ShareError {
  return new ShareError(
    'The share store answered with a web page. The operator of this site can check its address. Until it works, use a link that contains the content itself, or a file.',
  );
}

function unclear(): ShareError {
  return new ShareError(notAStore);
}
