import type { UIMessage } from 'ai';

/** Addresses of this page, of a disk, and relative ones. Some providers read others than the web's, such as `gs:`. */
const unreadableUrl = /^(?:blob:|file:|(?![a-z][a-z\d+.-]*:))/i;

/** True for a file that no model can read. In a conversation it would make every later request fail. */
export function isUnreadableFile(part: Partial<UIMessage['parts'][number]>): boolean {
  if (part.type !== 'file' || part.providerReference !== undefined) return false;
  return typeof part.url !== 'string' || unreadableUrl.test(part.url);
}
