import type { ModelMessage } from 'ai';
import { isRecord } from '../base/part-error.ts';

const roles: ReadonlySet<unknown> = new Set<ModelMessage['role']>(['system', 'user', 'assistant', 'tool']);

/** True for what has the shape of an AI SDK message, which a UIMessage and another API's message have not. */
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
