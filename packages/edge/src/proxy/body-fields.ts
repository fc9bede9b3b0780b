import { isRecord } from '../base/is-record.ts';
import { HttpError } from '../http/respond.ts';

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** The object with these fields only, those without a value left out. */
export function pick(value: JsonObject, names: Iterable<string>): JsonObject {
  const picked: JsonObject = {};
  for (const name of names) {
    if (Object.hasOwn(value, name) && value[name] !== undefined && value[name] !== null) {
      picked[name] = value[name];
    }
  }
  return picked;
}

/**
 * Like {@link pick}, for entries that a provider may cache. They keep `cache_control`, but only with the provider's
 * default lifetime, since a longer one has another price.
 */
export function pickCached(value: JsonObject, names: readonly string[]): JsonObject {
  const cached = isRecord(value['cache_control']) ? { cache_control: { type: 'ephemeral' } } : {};
  return { ...pick(value, names), ...cached };
}

/** A refusal of something in the body. `what` names it in our own words: text of a client is not repeated. */
export function invalidBodyError(what: string): HttpError {
  return new HttpError('invalid_body', what);
}

/** The value as an array of objects. */
export function objectsOf(value: unknown, name: string): JsonObject[] {
  if (!Array.isArray(value) || !value.every(isRecord))
    throw invalidBodyError(`${name} is not an array of objects. Send one, such as [{ … }].`);
  return value;
}

/** Refuses fields whose removal would silently change the request. */
export function refuseFields(
  body: JsonObject,
  passed: ReadonlySet<string>,
  refused: Readonly<Record<string, string>>,
): void {
  for (const [name, reason] of Object.entries(refused)) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    const asked = value !== undefined && value !== null && value !== false;
    if (asked && !passed.has(name)) throw new HttpError('unsupported_field', `${name} is refused: ${reason}`);
  }
}

/** Refuses to produce several answers for one request. */
export function refuseSeveral(body: JsonObject, names: readonly string[]): void {
  for (const name of names) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    if (value !== undefined && value !== null && value !== 1) {
      throw new HttpError('unsupported_field', `${name} is refused: each request gets one answer.`);
    }
  }
}

/**
 * Caps the fields that limit the answer's length, and sets the first one if none is present. Returns the largest
 * value that is then allowed.
 */
export function capOutputTokens(
  body: JsonObject,
  names: readonly [string, ...string[]],
  most: number,
): number {
  let largest = 0;
  for (const name of names) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    if (value === undefined || value === null) {
      delete body[name];
      continue;
    }
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
      throw invalidBodyError(`${name} is not a whole number of at least 1.`);
    }
    body[name] = Math.min(value, most);
    largest = Math.max(largest, Math.min(value, most));
  }
  if (largest > 0) return largest;
  body[names[0]] = most;
  return most;
}

/** Reasoning counts as part of the answer. A budget that would leave nothing of it is cut to half of it. */
export function capThinking(thinking: JsonObject, name: string, outputTokens: number): JsonObject {
  const budget = thinking[name];
  if (budget === undefined || budget === null) return thinking;
  if (typeof budget !== 'number' || !Number.isInteger(budget)) {
    throw invalidBodyError(`${name} is not a whole number.`);
  }
  return budget < outputTokens ? thinking : { ...thinking, [name]: Math.floor(outputTokens / 2) };
}

/** Whether the request asks for a stream: the field is true, false or absent. */
export function readStream(body: JsonObject): boolean {
  const stream = body['stream'] ?? false;
  if (typeof stream !== 'boolean') throw invalidBodyError('stream is neither true nor false.');
  return stream;
}

/** Refuses a schema that refers to another address, because the reader of the body would have to fetch it. */
export function refuseForeignSchemas(schemas: unknown): void {
  if (typeof schemas !== 'object' || schemas === null) return;
  for (const [name, value] of Object.entries(schemas)) {
    const isReference = name === '$ref' || name === '$dynamicRef' || name === '$recursiveRef';
    if (isReference && typeof value === 'string' && !value.startsWith('#')) {
      throw invalidBodyError('A schema refers to another address. Include it.');
    }
    refuseForeignSchemas(value);
  }
}

/** Refuses everything that the provider would run by itself. */
export function toolDeniedError(what: string): HttpError {
  return new HttpError(
    'tool_denied',
    `${what} is refused: only function tools, which the caller runs, are forwarded.`,
  );
}
