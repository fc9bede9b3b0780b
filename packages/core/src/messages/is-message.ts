import type { ModelMessage } from 'ai';
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
