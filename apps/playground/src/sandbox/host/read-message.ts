import type { RunEvent } from '@cueline/core';
import * as z from 'zod';
import type { ToHost } from '../protocol.ts';
import { isRunEvent } from '@cueline/core/link';

const call = z.number().int();
const place = z.object({ line: z.number().int(), column: z.number().int().optional() }).optional();

/** The longest message of an error, a problem or the console, in characters. */
const LONGEST = 10_000;
/** A text of the script's, whose end is left out where it is too long to be read. */
const sentence = z
  .string()
  .transform((text) =>
    text.length <= LONGEST
      ? text
      : `${text.slice(0, LONGEST)}… (${(text.length - LONGEST).toLocaleString('en')} more characters)`,
  );

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('events'), events: z.array(z.unknown()) }),
  z.object({
    type: z.literal('failed'),
    error: z.object({
      code: z.string(),
      message: sentence,
      details: z.record(z.string(), z.unknown()).optional(),
    }),
    at: place,
  }),
  z.object({
    type: z.literal('problem'),
    message: sentence,
    at: place,
    toolCallId: z.string().optional(),
  }),
  z.object({
    type: z.literal('console'),
    level: z.enum(['debug', 'log', 'info', 'warn', 'error']),
    text: sentence,
  }),
  z.object({
    type: z.literal('reply'),
    id: z.number().int(),
    reply: z.discriminatedUnion('accepted', [
      z.object({ accepted: z.literal(true) }),
      z.object({ accepted: z.literal(false), reason: z.string() }),
    ]),
  }),
  z.object({ type: z.literal('model-call'), call, options: z.unknown() }),
  z.object({ type: z.literal('model-credit'), call, count: z.number().int().positive() }),
  z.object({ type: z.literal('model-abort'), call }),
]);

/** A message of the worker as it came, its events still to be read. */
export type ReadMessage =
  | Exclude<ToHost, { type: 'events' }>
  | { type: 'events'; events: readonly unknown[] };

/**
 * A message of the worker, or undefined for what is none. A script may have bent the worker's own functions, so what
 * comes out of it is read like what comes from a stranger. Its events are left to {@link readEvent}, one by one.
 */
export function readMessage(text: string): ReadMessage | undefined {
  try {
    const result = message.safeParse(JSON.parse(text));
    return result.success ? (result.data as ReadMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** An event, or undefined for what is none. An end that cannot be read is an end all the same. */
export function readEvent(value: unknown): RunEvent | undefined {
  if (isRunEvent(value)) return value;
  if ((value as { type?: unknown } | null)?.type !== 'run-end') return undefined;
  const error = {
    code: 'script_error',
    message: 'The script ended its run in a way that cannot be read.',
  } as const;
  return { seq: 0, t: 0, type: 'run-end', outcome: 'error', error };
}
