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

/** URLs that a model takes as they are, by media type: the source and the flags of regular expressions. */
export type UrlPatterns = Readonly<
  Record<string, readonly { readonly source: string; readonly flags: string }[]>
>;

/** The content of a cassette, as JSON for a file. */
export type CassetteData = {
  readonly version: 1;
  /**
   * By `provider:model`. Files at other URLs are downloaded for the model. Without it, all URLs are taken as they
   * are.
   */
  readonly supportedUrls?: Readonly<Record<string, UrlPatterns>>;
  readonly recordings: readonly Recording[];
};

/** More than any provider has: they are tested on each URL of a request. */
const MAX_PATTERNS = 100;
const MAX_PATTERN_LENGTH = 1_000;

const patternSchema = z
  .object({ source: z.string().max(MAX_PATTERN_LENGTH), flags: z.string().max(10) })
  .refine(isPattern, 'Invalid regular expression');

const patternsSchema = z
  .record(z.string(), z.array(patternSchema).max(MAX_PATTERNS))
  .refine((types) => Object.keys(types).length <= MAX_PATTERNS, 'Too many media types');

const cassetteSchema = z.object({
  version: z.literal(1),
  supportedUrls: z.record(z.string(), patternsSchema).optional(),
  recordings: z.array(
    z.object({
      key: z.string(),
      model: z.string(),
      request: z.unknown(),
      answers: z.array(z.array(z.looseObject({ type: z.string() }))).min(1),
    }),
  ),
});

function isPattern({ source, flags }: { source: string; flags: string }): boolean {
  try {
    return Boolean(new RegExp(source, flags));
  } catch {
    return false;
  }
}

/** Checks the content of a cassette. @throws CuelineError `invalid_options` */
export function readCassetteData(data: unknown): CassetteData {
  const read = cassetteSchema.safeParse(data);
  if (read.success) {
    const { supportedUrls, ...rest } = read.data;
    return supportedUrls === undefined ? rest : { ...rest, supportedUrls };
  }
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
