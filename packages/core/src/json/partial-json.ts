import { createOpenJson } from './open-json.ts';

/**
 * Reads a JSON text that is still arriving. What it says is built as it comes, in one pass over every character, so
 * that feeding 640 KB in 20-byte pieces costs as much as feeding it whole. A look at it in between costs what is open
 * at that moment: as many steps as there are items and members in the objects and arrays that are not closed yet.
 */
export type PartialJson = {
  /** Takes the next piece of the text. */
  feed(piece: string): void;
  /** All pieces so far. */
  readonly text: string;
  /**
   * What the text says so far, with open strings, objects and arrays closed; undefined while that is not yet JSON.
   * Immutable, the same object until the next piece, and what is closed in it is shared with the values after it.
   */
  value(): unknown;
};

/** Where the reader stands inside the innermost open value. */
type ParserState =
  | 'value'
  | 'string'
  | 'word'
  | 'first-key'
  | 'key'
  | 'in-key'
  | 'colon'
  | 'first-item'
  | 'after-member'
  | 'after-item';

const jsonSpace = /[ \n\r\t]/;
const wordStart = /[-0-9tfn]/;
const wordEnd = /[,\]}\s]/;

/** A reader for one JSON text. Text that is no JSON is not refused here; its `value()` stays undefined. */
export function createPartialJson(): PartialJson {
  const read = createOpenJson();
  let text = '';
  let place: ParserState = 'value';
  /** The string, key or word that is being read, as far as it has come. */
  let chars = '';
  /** Where in `chars` the characters begin that follow a quotation mark and are written as themselves. */
  let literalFrom = 0;
  /** The escape that is being read, from its backslash on. */
  let escape = '';
  /** Something stands after the last value that must not stand there. Once another value comes, the text is no JSON. */
  let stray = false;
  /** The text is no JSON, whatever comes. */
  let broken = false;
  let latest: { value: unknown } | undefined;

  /** Such a key is never an argument; the AI SDK refuses the whole text too. Known by how it is written, as there. */
  function isRefused(): boolean {
    return chars.length - literalFrom === 9 && chars.endsWith('__proto__');
  }

  function put(value: unknown): void {
    read.put(value);
    place = read.innermost() === 'object' ? 'after-member' : 'after-item';
  }

  function open(kind: 'object' | 'array'): void {
    broken ||= stray;
    read.open(kind);
    place = kind === 'object' ? 'first-key' : 'first-item';
  }

  function close(): void {
    broken ||= stray || read.innermost() === undefined;
    read.close();
    place = read.innermost() === 'object' ? 'after-member' : 'after-item';
  }

  function beginString(as: 'string' | 'in-key'): void {
    place = as;
    chars = '';
    literalFrom = 0;
  }

  function beginValue(char: string): void {
    if (char === '"') {
      broken ||= stray;
      beginString('string');
    } else if (char === '{') open('object');
    else if (char === '[') open('array');
    else if (wordStart.test(char)) {
      place = 'word';
      chars = char;
    } else stray = true;
  }

  /** What must not be in a string. A key with it says nothing until its value comes. */
  function refuse(): void {
    if (place === 'string') broken = true;
    else stray = true;
  }

  function endString(): void {
    if (isRefused()) refuse();
    if (place === 'string') return put(chars);
    read.name(chars);
    place = 'colon';
  }

  function readEscape(char: string): void {
    escape += char;
    if (escape[1] === 'u' && escape.length < 6) return;
    const meant = parse(`"${escape}"`);
    if (meant === undefined) refuse();
    else chars += meant as string;
    literalFrom = char === '"' ? chars.length : Number.NaN;
    escape = '';
  }

  /** Reads a character of a string, or as many as say themselves; the offset after them. */
  function readString(piece: string, from: number): number {
    if (escape !== '') {
      readEscape(piece[from]!);
      return from + 1;
    }
    let end = from;
    while (end < piece.length && isLiteral(piece.charCodeAt(end))) end++;
    if (end > from) {
      chars += piece.slice(from, end);
      return end;
    }
    const char = piece[from];
    if (char === '"') endString();
    else if (char === '\\') escape = char;
    else refuse();
    return from + 1;
  }

  /** Reads on in a number or a `true`, `false` or `null`; the offset after it, or of the end of the piece. */
  function readWord(piece: string, from: number): number {
    let end = from;
    while (end < piece.length && !wordEnd.test(piece[end]!)) end++;
    chars += piece.slice(from, end);
    if (end === piece.length) return end;
    const value = parse(chars);
    broken ||= stray || value === undefined;
    put(value);
    return end;
  }

  function readSign(char: string): void {
    if (jsonSpace.test(char)) return;
    if (place === 'value') return beginValue(char);
    if (place === 'first-item' && char !== ']') return beginValue(char);
    if (char === '"' && (place === 'first-key' || place === 'key')) return beginString('in-key');
    if (char === ':' && place === 'colon') place = 'value';
    else if (char === ',' && place === 'after-member') place = 'key';
    else if (char === ',' && place === 'after-item') {
      place = 'value';
      stray ||= read.innermost() === undefined;
    } else if (char === '}' && (place === 'first-key' || place === 'after-member')) close();
    else if (char === ']' && (place === 'first-item' || place === 'after-item')) close();
    else stray = true;
  }

  function valueSoFar(): unknown {
    if (broken) return undefined;
    if (place === 'string') return isRefused() ? undefined : read.look(chars);
    const word = place === 'word' ? completeWord(chars) : undefined;
    if (word === undefined) return read.look();
    const value = stray ? undefined : parse(word);
    return value === undefined ? undefined : read.look(value);
  }

  return {
    feed(piece) {
      text += piece;
      latest = undefined;
      for (let index = 0; index < piece.length && !broken;) {
        if (place === 'string' || place === 'in-key') index = readString(piece, index);
        else if (place === 'word') index = readWord(piece, index);
        else readSign(piece[index++]!);
      }
    },
    get text() {
      return text;
    },
    value() {
      latest ??= { value: valueSoFar() };
      return latest.value;
    },
  };
}

/** Whether a character of a string stands for itself: no quotation mark, no backslash, no control character. */
function isLiteral(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c;
}

/** `tr` → `true`, `-1.` → `-1`; undefined for a word that can mean nothing yet. */
function completeWord(word: string): string | undefined {
  const literal = ['true', 'false', 'null'].find((candidate) => candidate.startsWith(word));
  return literal ?? /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/.exec(word)?.[0];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
