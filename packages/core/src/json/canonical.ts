import { isPlain } from './copy-plain.ts';

/**
 * Returns a tool call as a string that is the same for equal arguments, whatever the order of their keys. It is as
 * long as the arguments, because a hash could be made to collide, and never throws. An object that JSON cannot hold
 * (a Blob, a Map, a class instance without `toJSON`) is equal only to itself, so that different calls are never taken
 * for the same.
 */
export function canonicalCall(name: string, input: unknown): string {
  return `${JSON.stringify(name)}:${canonicalJson(input)}`;
}

/** An item that is still to be written: a piece of text, a value, or the end of an object. */
type Work = { text: string } | { value: unknown } | { left: object };

/**
 * Returns JSON with sorted keys and never throws. An object that JSON cannot hold is equal only to itself. Uses a
 * list of what is left, because recursion fails at some thousand levels.
 */
export function canonicalJson(input: unknown): string {
  const written: string[] = [];
  const ancestors = new Map<object, number>();
  const work: Work[] = [{ value: input }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if ('text' in next) written.push(next.text);
    else if ('left' in next) ancestors.delete(next.left);
    else if (typeof next.value !== 'object' || next.value === null) written.push(canonicalLeaf(next.value));
    else {
      const { value } = next;
      const level = ancestors.get(value);
      if (level !== undefined) {
        // without quotes, so that it differs from any string
        written.push(`<cycle ${level}>`);
        continue;
      }
      ancestors.set(value, ancestors.size);
      work.push({ left: value });
      // one by one, because a call takes a limited number of arguments
      for (const part of partsOf(value).toReversed()) work.push(part);
    }
  }
  return written.join('');
}

function canonicalLeaf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return identity(value);
  // -0 becomes 0, as in JSON
  return String(value);
}

/** Returns an object as text and its values, in order. */
function partsOf(object: object): Work[] {
  try {
    if (Array.isArray(object)) {
      const items = Array.from(object, (value: unknown): Work[] => [{ value }]);
      return [{ text: '[' }, ...separated(items), { text: ']' }];
    }
    if ('toJSON' in object && typeof object.toJSON === 'function') {
      const value: unknown = object.toJSON();
      // called once, as by JSON.stringify
      return value === object ? [{ text: identity(object) }] : [{ value }];
    }
    if (!isPlain(object)) return [{ text: identity(object) }];
    const entries = Object.entries(object)
      .filter(([, value]) => value !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]): Work[] => [{ text: `${JSON.stringify(key)}:` }, { value }]);
    return [{ text: '{' }, ...separated(entries), { text: '}' }];
  } catch {
    // a getter or a toJSON that throws
    return [{ text: identity(object) }];
  }
}

function separated(items: Work[][]): Work[] {
  return items.flatMap((item, index) => (index === 0 ? item : [{ text: ',' }, ...item]));
}

const identities = new WeakMap<object, number>();
let identified = 0;

/** Returns a name that only this object has. */
function identity(object: object): string {
  const known = identities.get(object) ?? ++identified;
  identities.set(object, known);
  return `<object ${known}>`;
}
