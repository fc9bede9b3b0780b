import type { RunRequest } from '@cueline/core';
import { utf8Length } from '../../base/utf8-length.ts';

/** The cost of an image of middling size, because a few bytes of one color are a large image, too. */
const LEAST_FILE_LENGTH = 6_000;

/** Returns the minimum cost of a run: what its first step reads, with the minimum for each file. */
export function leastTokens({ messages = [], input, tasks = [] }: Partial<RunRequest>): number {
  const parts = messages.flatMap((message) => message.parts.flatMap(withSteering));
  return Math.ceil(
    (leastLengthOf(messages, parts) + utf8Length(jsonOf(input)) + utf8Length(jsonOf(tasks))) / 4,
  );
}

type MessagePart = NonNullable<RunRequest['messages']>[number]['parts'][number];

/** Returns a part; for a user's message in the middle of an answer, its parts. */
function withSteering(part: MessagePart): readonly { type: string }[] {
  const { type, parts } = part as { type: string; parts?: readonly { type: string }[] };
  return type === 'steering-message' && parts !== undefined ? parts : [part];
}

/** Returns '' for a value that is not JSON, which did not come from a client. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** Returns the length of the JSON in bytes, in which each image, PDF, audio or video counts as the smallest image. */
function leastLengthOf(value: unknown, parts: readonly { type: string }[]): number {
  const more = parts.filter(isMedia).map((part) => LEAST_FILE_LENGTH - utf8Length(JSON.stringify(part)));
  return utf8Length(JSON.stringify(value)) + more.reduce((sum, length) => sum + length, 0);
}

/** False for a file that a provider may read as text, which costs what its length says. */
function isMedia(part: { type: string; mediaType?: unknown }): boolean {
  const { type, mediaType } = part;
  return (
    type === 'file' &&
    typeof mediaType === 'string' &&
    /^((image|audio|video)\/|application\/pdf$)/.test(mediaType)
  );
}
