import type { ModelMessage, UIMessage } from 'ai';
import { isRecord } from '../base/is-record.ts';

const roles: ReadonlySet<unknown> = new Set<ModelMessage['role']>(['system', 'user', 'assistant', 'tool']);

/** True for an AI SDK message. A UIMessage, and a message of another API, has another shape. */
export function isMessage(value: unknown): value is ModelMessage {
  if (!isRecord(value) || !roles.has(value['role'])) return false;
  const { role, content } = value;
  if (typeof content === 'string') return role !== 'tool';
  return (
    role !== 'system' &&
    Array.isArray(content) &&
    content.every((part) => isRecord(part) && typeof part['type'] === 'string')
  );
}

/** Addresses of this page, of a disk, and relative ones. Some providers read others than the web's, such as `gs:`. */
const unreadableUrl = /^(?:blob:|file:|(?![a-z][a-z\d+.-]*:))/i;

/** True for a file that no model can read. In a conversation it would make every later request fail. */
export function isUnreadableFile(part: Partial<UIMessage['parts'][number]>): boolean {
  if (part.type !== 'file' || part.providerReference !== undefined) return false;
  return typeof part.url !== 'string' || unreadableUrl.test(part.url);
}
