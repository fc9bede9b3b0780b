/** A JSON value that is being built from the outside in, and can be looked at before it is whole. */
export type OpenJson = {
  /** What the next value goes into; undefined outside of every object and array. */
  innermost(): 'object' | 'array' | undefined;
  open(kind: 'object' | 'array'): void;
  close(): void;
  /** Names the member whose value comes next. */
  name(key: string): void;
  put(value: unknown): void;
  /**
   * What there is so far, with `last` where the next value goes. It is never written to again, and shares everything
   * that is closed with the looks before and after it.
   */
  look(last?: unknown): unknown;
};

/** An object or array that is still open. Of an object, the last name may not have a value yet. */
type Open = { keys?: string[]; values: unknown[] };

/** A JSON value of which nothing is there yet. */
export function createOpenJson(): OpenJson {
  /** Those that are open, outermost first. */
  const spine: Open[] = [];
  let whole: unknown;

  function put(value: unknown): void {
    const parent = spine.at(-1);
    if (parent === undefined) whole = value;
    else parent.values.push(value);
  }

  return {
    innermost() {
      const innermost = spine.at(-1);
      if (innermost === undefined) return undefined;
      return innermost.keys === undefined ? 'array' : 'object';
    },
    open(kind) {
      spine.push(kind === 'object' ? { keys: [], values: [] } : { values: [] });
    },
    close() {
      const closed = spine.pop();
      if (closed !== undefined) put(valueOf(closed, closed.values));
    },
    name(key) {
      spine.at(-1)?.keys?.push(key);
    },
    put,
    look(last) {
      // a value is never undefined, so that undefined can mean that there is none
      let value = last;
      for (let depth = spine.length - 1; depth >= 0; depth--) {
        const open = spine[depth]!;
        // in one copy: to push onto a copy makes another one, with room to grow
        value = valueOf(open, open.values.concat(value === undefined ? [] : [value]));
      }
      return value === undefined ? whole : value;
    },
  };
}

/** An object is made of its lists anew: of one with thousands of members, that takes a third of copying it. */
function valueOf({ keys }: Open, values: unknown[]): unknown {
  if (keys === undefined) return values;
  const object: Record<string, unknown> = {};
  for (const [index, value] of values.entries()) {
    setMember(object, keys[index]!, value);
  }
  return object;
}

/** Sets a member of any name: assigning to `__proto__` sets none. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}
