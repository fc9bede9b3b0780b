import { createJsonBuilder } from './json-builder.ts';
import { parseJson } from './parse-json.ts';

/**
 * Reads a JSON text while it arrives. It builds the value in one pass over the characters, so that feeding 640 KB in
 * pieces of 20 bytes costs as much as feeding it at once. Reading the value in between takes as many steps as the
 * open objects and arrays have items and members.
 */
export type PartialJson = {
  /** Adds the next piece of the text. */
  feed(piece: string): void;
  /** All pieces so far. */
  readonly text: string;
  /**
   * Returns the value so far, with open strings, objects and arrays closed; undefined while the text is not JSON yet.
   * Immutable, and the same object until the next piece. Closed parts are shared with later values.
   */
  value(): unknown;
};

/** The parser's position inside the innermost open value. */
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

/** Creates a reader for one JSON text. It does not refuse invalid JSON; `value()` stays undefined then. */
export function createPartialJson(): PartialJson {
  const read = createJsonBuilder();
  let text = '';
  let state: ParserState = 'value';
  /** The characters so far of the current string, key or word. */
  let chars = '';
  /** The index in `chars` after the last quotation mark from which on characters are literal. */
  let literalFrom = 0;
  /** The characters so far of the current escape, including its backslash. */
  let escape = '';
  /** True if something invalid follows the last value. With one more value, the text is not JSON. */
  let stray = false;
  /** True if the text cannot be JSON any more. */
  let broken = false;
  let latest: { value: unknown } | undefined;

  /**
   * True for a key that no argument can have. The AI SDK refuses the whole text, too, and recognizes the key in the
   * same way.
   */
  function isRefused(): boolean {
    return chars.length - literalFrom === 9 && chars.endsWith('__proto__');
  }

  function put(value: unknown): void {
    read.put(value);
    endValue();
  }

  function endValue(): void {
    state = read.innermost() === 'object' ? 'after-member' : 'after-item';
  }

  function open(kind: 'object' | 'array'): void {
    broken ||= stray;
    read.open(kind);
    state = kind === 'object' ? 'first-key' : 'first-item';
  }

  function close(): void {
    broken ||= stray || read.innermost() === undefined;
    read.close();
    endValue();
  }

  function beginString(as: 'string' | 'in-key'): void {
    state = as;
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
      state = 'word';
      chars = char;
    } else stray = true;
  }

  /** Refuses an invalid character of a string. A key with it only counts once its value comes. */
  function refuse(): void {
    if (state === 'string') broken = true;
    else stray = true;
  }

  function endString(): void {
    if (isRefused()) refuse();
    if (state === 'string') return put(chars);
    read.name(chars);
    state = 'colon';
  }

  function readEscape(char: string): void {
    escape += char;
    if (escape[1] === 'u' && escape.length < 6) return;
    const meant = parseJson(`"${escape}"`);
    if (meant === undefined) refuse();
    else chars += meant as string;
    literalFrom = char === '"' ? chars.length : Number.NaN;
    escape = '';
  }

  /** Reads one character of a string, or several literal ones. Returns the offset after them. */
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

  /** Reads a number or `true`, `false` or `null`. Returns the offset after it, or the end of the piece. */
  function readWord(piece: string, from: number): number {
    let end = from;
    while (end < piece.length && !wordEnd.test(piece[end]!)) end++;
    chars += piece.slice(from, end);
    if (end === piece.length) return end;
    const value = parseJson(chars);
    broken ||= stray || value === undefined;
    put(value);
    return end;
  }

  function readSign(char: string): void {
    if (jsonSpace.test(char)) return;
    if (state === 'value') return beginValue(char);
    if (state === 'first-item' && char !== ']') return beginValue(char);
    if (char === '"' && (state === 'first-key' || state === 'key')) return beginString('in-key');
    if (char === ':' && state === 'colon') state = 'value';
    else if (char === ',' && state === 'after-member') state = 'key';
    else if (char === ',' && state === 'after-item') {
      state = 'value';
      stray ||= read.innermost() === undefined;
    } else if (char === '}' && (state === 'first-key' || state === 'after-member')) close();
    else if (char === ']' && (state === 'first-item' || state === 'after-item')) close();
    else stray = true;
  }

  function valueSoFar(): unknown {
    if (broken) return undefined;
    if (state === 'string') return isRefused() ? undefined : read.read(chars);
    const word = state === 'word' ? completeWord(chars) : undefined;
    if (word === undefined) return read.read();
    const value = stray ? undefined : parseJson(word);
    return value === undefined ? undefined : read.read(value);
  }

  return {
    feed(piece) {
      text += piece;
      latest = undefined;
      for (let index = 0; index < piece.length && !broken;) {
        if (state === 'string' || state === 'in-key') index = readString(piece, index);
        else if (state === 'word') index = readWord(piece, index);
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

/**
 * Returns the reader of `text`, of which `piece` is new: the given reader, if it has read everything before, or a new
 * one.
 */
export function feedReader(reader: PartialJson | undefined, text: string, piece: string): PartialJson {
  const known = reader !== undefined && reader.text.length + piece.length === text.length;
  const continued = known ? reader : createPartialJson();
  continued.feed(known ? piece : text);
  return continued;
}

/** True for a literal character of a string: no quotation mark, backslash or control character. */
function isLiteral(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c;
}

/** `tr` → `true`, `-1.` → `-1`; undefined for a word without a value yet. */
function completeWord(word: string): string | undefined {
  const literal = ['true', 'false', 'null'].find((candidate) => candidate.startsWith(word));
  return literal ?? /^-?\d+(\.\d+)?(e[-+]?\d+)?/i.exec(word)?.[0];
}
