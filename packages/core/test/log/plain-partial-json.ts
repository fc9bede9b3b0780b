import type { PartialJson } from '../../src/json/partial-json.ts';

/** The reader's position inside the innermost open value. */
type Place =
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

const wordStart = /[-0-9tfn]/;
const space = /\s/;

/**
 * What a partial JSON text means, said the plain way: `value()` closes what is open and has JSON.parse read the whole
 * text again. The reader that is fast is held to it.
 */
export function createPlainPartialJson(): PartialJson {
  let text = '';
  /** Closing characters of the objects and arrays that are open, outermost first. */
  const closers: ('}' | ']')[] = [];
  let place: Place = 'value';
  let wordFrom = 0;
  /** 0 outside an escape; else how many characters of it are still to come. */
  let escape = 0;
  /** Everything before this offset can be kept when the open values are closed. */
  let safe = 0;

  const afterValue = (): Place => (closers.at(-1) === '}' ? 'after-member' : 'after-item');

  function open(closer: '}' | ']', offset: number): void {
    closers.push(closer);
    place = closer === '}' ? 'first-key' : 'first-item';
    safe = offset + 1;
  }

  function close(offset: number): void {
    closers.pop();
    place = afterValue();
    safe = offset + 1;
  }

  function beginValue(char: string, offset: number): void {
    if (char === '"') {
      place = 'string';
      safe = offset + 1;
    } else if (char === '{') open('}', offset);
    else if (char === '[') open(']', offset);
    else if (wordStart.test(char)) {
      place = 'word';
      wordFrom = offset;
    }
  }

  function step(char: string, offset: number): void {
    if (place === 'string' || place === 'in-key') {
      const inKey = place === 'in-key';
      if (escape > 0) {
        escape = escape === 6 ? (char === 'u' ? 4 : 0) : escape - 1;
        if (escape === 0 && !inKey) safe = offset + 1;
      } else if (char === '\\') escape = 6;
      else if (char === '"') {
        place = inKey ? 'colon' : afterValue();
        if (!inKey) safe = offset + 1;
      } else if (!inKey) safe = offset + 1;
      return;
    }
    if (place === 'word') {
      if (char !== ',' && char !== '}' && char !== ']' && !space.test(char)) return;
      place = afterValue();
      safe = offset;
    }
    if (space.test(char)) return;
    switch (place) {
      case 'first-key':
      case 'key':
        if (char === '"') place = 'in-key';
        else if (char === '}' && place === 'first-key') close(offset);
        return;
      case 'colon':
        if (char === ':') place = 'value';
        return;
      case 'first-item':
        if (char === ']') close(offset);
        else beginValue(char, offset);
        return;
      case 'after-member':
        if (char === ',') place = 'key';
        else if (char === '}') close(offset);
        return;
      case 'after-item':
        if (char === ',') place = 'value';
        else if (char === ']') close(offset);
        return;
      default:
        beginValue(char, offset);
    }
  }

  return {
    feed(piece) {
      const from = text.length;
      text += piece;
      for (let index = 0; index < piece.length; index++) step(piece[index]!, from + index);
    },
    get text() {
      return text;
    },
    value() {
      const whole = parse(text);
      if (whole !== undefined) return whole;
      let kept = text.slice(0, safe);
      if (place === 'string') kept += '"';
      if (place === 'word') kept = completeWord(text, safe, wordFrom);
      // a member whose value has not begun leaves `"name":` or a comma behind, which `safe` has already cut off
      return parse(kept + closers.toReversed().join(''));
    },
  };
}

/** `tr` → `true`, `-1.` → `-1`; a word that can mean nothing yet is left out. */
function completeWord(text: string, safe: number, wordFrom: number): string {
  const word = text.slice(wordFrom);
  const before = text.slice(safe, wordFrom);
  const literal = ['true', 'false', 'null'].find((candidate) => candidate.startsWith(word));
  const number = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/.exec(word)?.[0];
  const value = literal ?? number;
  return value === undefined ? text.slice(0, safe) : text.slice(0, safe) + before + value;
}

function parse(text: string): unknown {
  // such a key is never an argument; the AI SDK refuses the whole text too
  if (text.includes('"__proto__"')) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
