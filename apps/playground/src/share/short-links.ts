import { makeShortLink } from './link.ts';
import { dropDeleteKey, keepDeleteKey } from './delete-keys.ts';
import { deleteShare, putShare } from './share-store.ts';

/** A short link, and until when it can be opened, where that is known, in ms since 1970. */
export type ShortLink = { id: string; url: string; expiresAt: number | undefined };

/** What is kept already, by what it holds: a popover that is opened again uploads nothing again. */
const made = new Map<string, ShortLink>();

/** The short link to what `hash` holds, where this page has made or opened it. */
export function knownShortLink(hash: string): ShortLink | undefined {
  const link = made.get(hash);
  return link?.expiresAt !== undefined && link.expiresAt <= Date.now() ? undefined : link;
}

/** Remembers where what `hash` holds is kept. */
export function rememberShortLink(hash: string, link: ShortLink): void {
  made.set(hash, link);
}

/** Uploads what `hash` holds, and gives the link to it. Throws a `ShareError`. */
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

/** Deletes what a link of this browser's leads to. Throws a `ShareError`. */
export async function deleteShortLink(
  address: string,
  { hash, id, deleteKey }: { hash: string; id: string; deleteKey: string },
  signal: AbortSignal,
): Promise<void> {
  await deleteShare(address, id, deleteKey, signal);
  made.delete(hash);
  dropDeleteKey(id);
}
