/**
 * Each turn of a conversation begins with all messages before it, and their files. A long text of a run is therefore
 * stored where it appears first, and as a reference everywhere after that.
 */

/** Shorter texts are stored again, in characters. */
const MIN_LENGTH = 10_000;
/** A reference is this and the number of a text. A text that begins with it is stored with a colon behind it. */
const MARK = '\0';

/** A value as JSON. In an object, the JSON contains references. */
export type StoredJson = string | { readonly withReferences: string };

/** Stores the values of one run, in their order. */
export type TextWriter = {
  /** Returns the JSON to store for a value of this turn. */
  write(value: unknown, turn: number, indent?: number): StoredJson;
  /** Forgets the texts of this turn and of those after it, which are stored again. */
  forgetFrom(turn: number): void;
};

/** Creates a writer that knows no text yet. */
export function createTextWriter(): TextWriter {
  // in the order of their first appearance
  const texts = new Map<string, { number: number; turn: number }>();
  return {
    write(value, turn, indent) {
      let hasReferences = false;
      const json = JSON.stringify(value, writeText, indent);
      return hasReferences ? { withReferences: json } : json;

      function writeText(_key: string, item: unknown): unknown {
        if (typeof item !== 'string') return item;
        const known = texts.get(item);
        if (known === undefined && item.length >= MIN_LENGTH) texts.set(item, { number: texts.size, turn });
        if (known === undefined && !item.startsWith(MARK)) return item;
        hasReferences = true;
        return known === undefined ? `${MARK}:${item.slice(1)}` : MARK + known.number;
      }
    },
    forgetFrom(turn) {
      for (const [text, known] of texts) if (known.turn >= turn) texts.delete(text);
    },
  };
}

/**
 * Returns a function that reads what was stored of one run, value by value in its order. It throws for any other
 * JSON.
 */
export function createTextReader(all: readonly StoredJson[]): (stored: StoredJson) => unknown {
  // most runs have no reference, and are read faster without a look at each text
  if (all.every((stored) => typeof stored === 'string')) return (stored) => JSON.parse(stored as string);
  const texts: string[] = [];
  const known = new Set<string>();
  return (stored) => {
    const hasReferences = typeof stored !== 'string';
    return JSON.parse(hasReferences ? stored.withReferences : stored, (_key, item: unknown) => {
      const text = hasReferences && typeof item === 'string' ? readText(item) : item;
      if (typeof text === 'string' && text.length >= MIN_LENGTH && !known.has(text)) {
        known.add(text);
        texts.push(text);
      }
      return text;
    });
  };

  function readText(item: string): string {
    if (!item.startsWith(MARK)) return item;
    if (item[1] === ':') return MARK + item.slice(2);
    const text = texts[Number(item.slice(1))];
    if (text === undefined) throw new SyntaxError('A reference to a text that was not stored.');
    return text;
  }
}

/** Returns a value of the database if it is stored JSON; otherwise undefined. */
export function asStoredJson(value: unknown): StoredJson | undefined {
  if (typeof value === 'string') return value;
  const json: unknown = (value as { withReferences?: unknown } | null | undefined)?.withReferences;
  return typeof json === 'string' ? { withReferences: json } : undefined;
}

/** Returns the length of a value in the database, in characters. */
export function lengthOf(stored: StoredJson): number {
  return (typeof stored === 'string' ? stored : stored.withReferences).length;
}
