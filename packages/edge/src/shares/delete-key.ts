import { newShareId } from './share-id.ts';

/** The header with the key that deletes a share. */
export const DELETE_KEY_HEADER = 'x-delete-key';

/** 128 random bits: only the client that made the share gets them. */
export const newDeleteKey: () => string = newShareId;

/** What a storage keeps of a delete key: a hash, so that reading the storage does not allow deleting. */
export async function ownerOf(deleteKey: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(deleteKey));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
