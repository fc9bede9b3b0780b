import type { UIMessage } from 'ai';
import { loadRunner } from '../executors/load-runner.ts';
import { isUnreadableFile } from '../messages/is-unreadable-file.ts';
import { ignorable } from './refused.ts';

/** Returns the argument of `send` as a message; undefined if it is not one that a model can read. */
export function readSendMessage(message: unknown): Pick<UIMessage, 'parts'> | undefined {
  if (typeof message === 'string') {
    return message.trim() === '' ? undefined : { parts: [{ type: 'text', text: message }] };
  }
  const { parts } = (message ?? {}) as Partial<UIMessage>;
  const isMessage =
    Array.isArray(parts) &&
    parts.every((part) => typeof part?.type === 'string' && !isUnreadableFile(part)) &&
    parts.some((part) => part.type !== 'text' || part.text?.trim());
  return isMessage ? (message as UIMessage) : undefined;
}

/** Rejects with what is wrong with a message. The promise may be ignored. */
export function refuseMessage(message: unknown): Promise<never> {
  return ignorable(loadRunner().then((runner) => runner.refuseMessage(message)));
}
