import type { RunEvent } from '@cueline/core';
import { isRunEvent } from '@cueline/core/link';
import * as z from 'zod';
import { formatCount } from '../../ui/format.ts';
import type { ToHost } from '../protocol.ts';
import { definitionKinds } from '../script/definition.ts';

const call = z.number().int();
const place = z.object({ line: z.number().int(), column: z.number().int().optional() }).optional();

/** The longest message of an error, a problem or the console, in characters. */
const MAX_LENGTH = 10_000;
/** A text from the script, cut if it is too long. */
const sentence = z
  .string()
  .transform((text) =>
    text.length <= MAX_LENGTH
      ? text
      : `${text.slice(0, MAX_LENGTH)}… (${formatCount(text.length - MAX_LENGTH)} more characters)`,
  );

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  // checked one by one, in slices: a script may send millions
  z.object({ type: z.literal('events'), events: z.custom<readonly unknown[]>(Array.isArray) }),
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
  // checked by read-check.ts
  z.object({ type: z.literal('report'), report: z.unknown() }),
  z.object({ type: z.literal('dry-run'), request: z.unknown(), warnings: z.unknown() }),
  z.object({
    type: z.literal('definition'),
    of: z.enum(definitionKinds),
    name: z.string().max(200),
    agent: z.string().max(500).optional(),
    at: z.object({ line: z.number().int().positive(), column: z.number().int().positive().optional() }),
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

/** A message of the worker; its events, report and requests are still unchecked. */
export type ReadMessage =
  | Exclude<ToHost, { type: 'events' | 'report' | 'dry-run' }>
  | { type: 'report'; report: unknown }
  | { type: 'dry-run'; request: unknown; warnings: unknown }
  | { type: 'events'; events: readonly unknown[] };

/**
 * A message of the worker, or undefined for anything else. A script may have replaced the worker's own functions, so
 * no message is trusted without a check. {@link readEvent} checks its events, one by one.
 */
export function readMessage(text: string): ReadMessage | undefined {
  try {
    const result = message.safeParse(JSON.parse(text));
    return result.success ? (result.data as ReadMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** An event, or undefined for anything else. An invalid end still counts as an end. */
export function readEvent(value: unknown): RunEvent | undefined {
  if (isRunEvent(value)) return value;
  if ((value as { type?: unknown } | null)?.type !== 'run-end') return undefined;
  const error = {
    code: 'script_error',
    message: 'The script ended its run in a way that cannot be read.',
  } as const;
  return { seq: 0, t: 0, type: 'run-end', outcome: 'error', error };
}
