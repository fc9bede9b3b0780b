import { dropDeleteKey, keepDeleteKey } from './delete-keys.ts';
import { makeShortLink } from './link.ts';
import { deleteShare, putShare } from './share-store.ts';

/** A short link, and when it expires, if that is known, in ms since 1970. */
export type ShortLink = { id: string; url: string; expiresAt: number | undefined };

/** The shares by their content, so that a popover that opens again does not upload again. */
const made = new Map<string, ShortLink>();

/** The short link to the content of `hash`, if this page has made or opened it. */
export function knownShortLink(hash: string): ShortLink | undefined {
  const link = made.get(hash);
  return link?.expiresAt !== undefined && link.expiresAt <= Date.now() ? undefined : link;
}

/** Remembers the share with the content of `hash`. */
export function rememberShortLink(hash: string, link: ShortLink): void {
  made.set(hash, link);
}

/** The uploads that are in progress, by their content. */
const uploads = new Map<string, Promise<ShortLink>>();

/** The upload of the content of `hash`, if it is in progress. */
export function uploadInProgress(hash: string): Promise<ShortLink> | undefined {
  return uploads.get(hash);
}

/**
 * Uploads the content of `hash`, and returns the link to it. An upload that has begun is not aborted: the store may
 * have the content already, and the key that deletes it comes with the answer. Throws a `ShareError`.
 */
export function makeUploadedLink(address: string, hash: string, page: string): Promise<ShortLink> {
  const begun = uploads.get(hash);
  if (begun !== undefined) return begun;
  const upload = uploadLink(address, hash, page).finally(() => uploads.delete(hash));
  uploads.set(hash, upload);
  return upload;
}

async function uploadLink(address: string, hash: string, page: string): Promise<ShortLink> {
  const { id, expiresAt, deleteKey } = await putShare(address, hash.slice(1));
  const link = { id, url: makeShortLink(id, page), expiresAt };
  rememberShortLink(hash, link);
  if (deleteKey !== undefined) keepDeleteKey({ id, key: deleteKey, expiresAt });
  return link;
}

/** Deletes the share of a link that this browser made. Throws a `ShareError`. */
export async function deleteShortLink(
  address: string,
  { hash, id, deleteKey }: { hash: string; id: string; deleteKey: string },
  signal: AbortSignal,
): Promise<void> {
  await deleteShare(address, id, deleteKey, signal);
  made.delete(hash);
  dropDeleteKey(id);
}
