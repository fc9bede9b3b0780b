import { makeShortLink } from './link.ts';
import { dropDeleteKey, keepDeleteKey } from './delete-keys.ts';
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

/** Uploads the content of `hash`, and returns the link to it. Throws a `ShareError`. */
export async function makeUploadedLink(
  address: string,
  hash: string,
  page: string,
  signal: AbortSignal,
): Promise<ShortLink> {
  const { id, expiresAt, deleteKey } = await putShare(address, hash.slice(1), signal);
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
