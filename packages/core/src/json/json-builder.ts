/** A JSON value that is built from the outside in, and can be read before it is complete. */
export type JsonBuilder = {
  /** Returns the kind of the innermost open value; undefined outside of every object and array. */
  innermost(): 'object' | 'array' | undefined;
  open(kind: 'object' | 'array'): void;
  close(): void;
  /** Sets the name of the next member. */
  name(key: string): void;
  put(value: unknown): void;
  /**
   * Returns the value so far, with `last` as the next value. The result is never modified and shares everything that
   * is closed with earlier and later results.
   */
  read(last?: unknown): unknown;
};

/** An open object or array. The last name of an object may have no value yet. */
type Open = { kind: 'object' | 'array'; keys: string[]; values: unknown[] };

/** Creates an empty JSON value. */
export function createJsonBuilder(): JsonBuilder {
  /** The open values, outermost first. */
  const openValues: Open[] = [];
  let whole: unknown;

  function put(value: unknown): void {
    const parent = openValues.at(-1);
    if (parent === undefined) whole = value;
    else parent.values.push(value);
  }

  return {
    innermost: () => openValues.at(-1)?.kind,
    open(kind) {
      openValues.push({ kind, keys: [], values: [] });
    },
    close() {
      const closed = openValues.pop();
      if (closed !== undefined) put(valueOf(closed, closed.values));
    },
    name(key) {
      openValues.at(-1)?.keys.push(key);
    },
    put,
    read(last) {
      // a value is never undefined, so undefined means that there is none
      let value = last;
      for (const open of openValues.toReversed()) {
        // in one copy, because pushing onto a copy would copy again to grow
        value = valueOf(open, open.values.concat(value === undefined ? [] : [value]));
      }
      return value === undefined ? whole : value;
    },
  };
}

/** Creates an object from its lists, which for thousands of members takes a third of the time of copying it. */
function valueOf({ kind, keys }: Open, values: unknown[]): unknown {
  if (kind === 'array') return values;
  const object: Record<string, unknown> = {};
  for (const [index, value] of values.entries()) {
    setMember(object, keys[index]!, value);
  }
  return object;
}

/** Sets a member of any name. Assigning to `__proto__` would not create one. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}
