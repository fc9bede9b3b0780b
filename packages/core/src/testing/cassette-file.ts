import * as z from 'zod/v4';
import { CuelineError } from '../base/errors.ts';
import { fromBase64, toBase64 } from '../json/bytes.ts';

/** One request to a model, with its answers. */
export type Recording = {
  /** SHA-256 of the model's name and the request. */
  readonly key: string;
  /** `provider:model`. */
  readonly model: string;
  /** Without keys and headers. */
  readonly request: unknown;
  /** The parts of each answer. A request that was sent several times has several answers. */
  readonly answers: readonly (readonly { readonly type: string }[])[];
};

/** The content of a cassette, as JSON for a file. */
export type CassetteData = { readonly version: 1; readonly recordings: readonly Recording[] };

const cassetteSchema = z.object({
  version: z.literal(1),
  recordings: z.array(
    z.object({
      key: z.string(),
      model: z.string(),
      request: z.unknown(),
      answers: z.array(z.array(z.looseObject({ type: z.string() }))).min(1),
    }),
  ),
});

/** Checks the content of a cassette. @throws CuelineError `invalid_options` */
export function readCassetteData(data: unknown): CassetteData {
  const read = cassetteSchema.safeParse(data);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new CuelineError(
    'invalid_options',
    `The cassette is not readable: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}. Record it again.`,
  );
}

/** Converts bytes and dates of a request or a part, which JSON cannot hold. */
export function toJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: toBase64(value) };
  if (value instanceof Date) return { $date: value.toISOString() };
  if (value instanceof URL) return value.href;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, toJson(item)]])),
  );
}

/** The opposite of {@link toJson}. */
export function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== 'object' || value === null) return value;
  const { $bytes, $date } = value as { $bytes?: unknown; $date?: unknown };
  if (typeof $bytes === 'string') return fromBase64($bytes);
  if (typeof $date === 'string') return new Date($date);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromJson(item)]));
}
