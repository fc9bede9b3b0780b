import type { RunRequest } from '@cueline/core';
import type { ChatCall } from '@cueline/core/ai-sdk';
import { HttpError } from '../http/respond.ts';
import { invalidNameText, isName } from './is-name.ts';

/** A request of the AI SDK's own client, which knows no runs, only its conversation. */
export type ChatPost = {
  /** The client's id of its conversation. */
  chatId: string;
  trigger: ChatCall['trigger'];
  messageId: string | undefined;
  start: RunRequest;
};

/** True for a body that the AI SDK's `DefaultChatTransport` sends, and not `viaRoute`. */
export function isChatPost(body: Readonly<Record<string, unknown>>): boolean {
  if (typeof body['trigger'] === 'string') return true;
  return Array.isArray(body['messages']) && body['prompt'] === undefined && body['input'] === undefined;
}

/** Reads the rest of such a body, besides what starts a run. */
export function readChatPost(body: Readonly<Record<string, unknown>>, start: RunRequest): ChatPost {
  const { id = crypto.randomUUID(), trigger = 'submit-message', messageId } = body;
  if (!isName(id)) {
    throw new HttpError('invalid_body', invalidNameText('id'));
  }
  if (trigger !== 'submit-message' && trigger !== 'regenerate-message') {
    throw new HttpError('invalid_body', "trigger is neither 'submit-message' nor 'regenerate-message'.");
  }
  if (messageId !== undefined && typeof messageId !== 'string') {
    throw new HttpError('invalid_body', 'messageId is not a string.');
  }
  return { chatId: id, trigger, messageId, start };
}
