import { isUnawaited } from '../base/is-promise.ts';
import { isPlain } from './copy-plain.ts';

/** What to return instead of objects of these types. */
const instead: Readonly<Record<string, string>> = {
  Error: ': throw it, or return its message',
  Map: ': return Object.fromEntries(map)',
  Promise: ': await it',
  Response: ': return await response.json()',
  Set: ': return [...set]',
};

/**
 * Throws for a member of a value that JSON would write as `{}` although it has content, such as a Map or a promise, or
 * without its content, such as an error. `value` is the member after its `toJSON`, if it has one.
 */
export function refuseLossy(key: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isPlain(value)) return;
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (tag !== 'Error' && Object.keys(value).length > 0) return;
  const type = tag === 'Object' ? value.constructor?.name : tag;
  throw new TypeError(
    `${key === '' ? 'it' : key} is of type ${type}, which JSON cannot hold${instead[tag] ?? ''}`,
  );
}

/**
 * Handles the rejections of all promises in the lists and plain objects of a refused value. Nothing awaits them, and
 * one that rejects would end a server's process.
 */
export function ignorePromises(refused: unknown): void {
  const seen = new Set([refused]);
  // the loop also visits what it adds to the set
  for (const value of seen) {
    try {
      if (Object.prototype.toString.call(value) === '[object Promise]') isUnawaited(value);
      if (!Array.isArray(value) && !isPlain(value)) continue;
      for (const key of Object.keys(value)) seen.add((value as Record<string, unknown>)[key]);
    } catch {
      // a getter or a proxy that throws, which may be why the value is refused
    }
  }
}
