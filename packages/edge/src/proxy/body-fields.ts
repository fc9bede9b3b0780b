import { Refusal } from '../http/respond.ts';

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** True for a JSON object, not for an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
 * The same for what may be kept in a provider's cache: for as long as it keeps it anyway, since a longer time has
 * another price.
 */
export function pickCached(value: JsonObject, names: readonly string[]): JsonObject {
  const cached = isObject(value['cache_control']) ? { cache_control: { type: 'ephemeral' } } : {};
  return { ...pick(value, names), ...cached };
}

/** A refusal of something in the body. `what` names it, in words of ours: what a client wrote is not repeated. */
export function invalidBody(what: string): Refusal {
  return new Refusal('invalid_body', what);
}

/** The value as an array of objects. */
export function objectsOf(value: unknown, name: string): JsonObject[] {
  if (!Array.isArray(value) || !value.every(isObject))
    throw invalidBody(`${name} is not an array of objects.`);
  return value;
}

/** Refuses the fields that would change what is asked for if they were dropped without a word. */
export function refuseFields(
  body: JsonObject,
  passed: ReadonlySet<string>,
  refused: Readonly<Record<string, string>>,
): void {
  for (const [name, reason] of Object.entries(refused)) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    const asked = value !== undefined && value !== null && value !== false;
    if (asked && !passed.has(name)) throw new Refusal('unsupported_field', `${name} is refused: ${reason}`);
  }
}

/** Refuses to answer more than once for one request. */
export function refuseSeveral(body: JsonObject, names: readonly string[]): void {
  for (const name of names) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    if (value !== undefined && value !== null && value !== 1) {
      throw new Refusal('unsupported_field', `${name} is refused: one answer for each request.`);
    }
  }
}

/**
 * Puts a cap on the fields that say how long the answer may get, and sets the first where none is there. Gives the
 * largest of what is then allowed.
 */
export function capOutput(body: JsonObject, names: readonly [string, ...string[]], most: number): number {
  let largest = 0;
  for (const name of names) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    if (value === undefined || value === null) {
      delete body[name];
      continue;
    }
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
      throw invalidBody(`${name} is not a whole number from 1 on.`);
    }
    body[name] = Math.min(value, most);
    largest = Math.max(largest, Math.min(value, most));
  }
  if (largest > 0) return largest;
  body[names[0]] = most;
  return most;
}

/** Thinking is a part of the answer. A budget for it that leaves nothing of that is cut to half of it. */
export function capThinking(thinking: JsonObject, name: string, outputTokens: number): JsonObject {
  const budget = thinking[name];
  if (budget === undefined || budget === null) return thinking;
  if (typeof budget !== 'number' || !Number.isInteger(budget)) {
    throw invalidBody(`${name} is not a whole number.`);
  }
  return budget < outputTokens ? thinking : { ...thinking, [name]: Math.floor(outputTokens / 2) };
}

/** Whether a stream is asked for: the field is true, false or not there. */
export function readStream(body: JsonObject): boolean {
  const stream = body['stream'] ?? false;
  if (typeof stream !== 'boolean') throw invalidBody('stream is neither true nor false.');
  return stream;
}

/** Refuses a schema that is somewhere else, from where whoever reads the body would have to fetch it. */
export function refuseForeignSchemas(schemas: unknown): void {
  if (typeof schemas !== 'object' || schemas === null) return;
  for (const [name, value] of Object.entries(schemas)) {
    const isReference = name === '$ref' || name === '$dynamicRef' || name === '$recursiveRef';
    if (isReference && typeof value === 'string' && !value.startsWith('#')) {
      throw invalidBody('A schema refers to one that is somewhere else. Write it out.');
    }
    refuseForeignSchemas(value);
  }
}

/** Refuses everything that the provider would run by itself. */
export function toolDenied(what: string): Refusal {
  return new Refusal(
    'tool_denied',
    `${what} is refused: only function tools, which the caller runs, are passed on.`,
  );
}
