import { hashOf } from '@cueline/core/server';

/**
 * Returns a client's key together with a hash of what the start asks for. Pages write the same key for different
 * inputs, and only the same start sent again is the same run.
 */
export function keyWithContent(
  key: string,
  { input, messages, tasks, model, options }: Readonly<Record<string, unknown>>,
): string {
  // as text, because sorting the names of a large body would take long, and what is sent again has the same order
  return JSON.stringify([key, hashOf(JSON.stringify([input, messages, tasks, model, options]))]);
}

/** Two prompts of one route may be started with the same key. */
export function storedKey(
  prompt: string,
  startKey: string | undefined,
  chat: { id: string; after: string | undefined } | undefined,
): string | undefined {
  if (chat !== undefined) return JSON.stringify(['turn', chat.id, chat.after ?? null]);
  return startKey === undefined ? undefined : JSON.stringify([prompt, startKey]);
}
