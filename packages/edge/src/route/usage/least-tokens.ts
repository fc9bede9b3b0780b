import type { RunRequest } from '@cueline/core';
import { utf8Length } from './utf8-length.ts';

/** As much as a picture of middling size costs: a few bytes of one colour are a large picture, too. */
const LEAST_FILE_LENGTH = 6_000;

/** What a run must cost: what it is started with, as its first step reads it, with the least for each file. */
export function leastTokens({ messages = [], input, tasks = [] }: Partial<RunRequest>): number {
  const parts = messages.flatMap((message) => message.parts.flatMap(withSteering));
  return Math.ceil(
    (leastLengthOf(messages, parts) + utf8Length(jsonOf(input)) + utf8Length(jsonOf(tasks))) / 4,
  );
}

type Part = NonNullable<RunRequest['messages']>[number]['parts'][number];

/** A part, and what was said in the middle of an answer, where it is that. */
function withSteering(part: Part): readonly { type: string }[] {
  const { type, parts } = part as { type: string; parts?: readonly { type: string }[] };
  return type === 'steering-message' && parts !== undefined ? parts : [part];
}

/** '' for what is no JSON: it did not come from a client. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** How many bytes it has as JSON, in which each picture, PDF, sound or video counts as little as a picture can. */
function leastLengthOf(value: unknown, parts: readonly { type: string }[]): number {
  const more = parts.filter(isMedia).map((part) => LEAST_FILE_LENGTH - utf8Length(JSON.stringify(part)));
  return utf8Length(JSON.stringify(value)) + more.reduce((sum, length) => sum + length, 0);
}

/** Not whatever is no text: what a provider may read as text costs what its length says. */
function isMedia(part: { type: string; mediaType?: unknown }): boolean {
  const { type, mediaType } = part;
  return (
    type === 'file' &&
    typeof mediaType === 'string' &&
    /^((image|audio|video)\/|application\/pdf$)/.test(mediaType)
  );
}
