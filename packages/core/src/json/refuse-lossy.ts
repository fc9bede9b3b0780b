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
