const likely = Array.from('a1A0-_.@:/ ,+z9Z#T🙂é\n');

/** The longest text that is made because a schema asks for it, in characters. */
export const longestText = 10_000;
const longestPattern = 1_000;

/**
 * A text that a regular expression accepts; undefined if the pattern is too complex. It supports what schemas use:
 * literals, classes, groups, alternatives and repetitions. Lookarounds are skipped, and every result is tested.
 */
export function textFromPattern(pattern: string, accept: (text: string) => boolean): string | undefined {
  if (pattern.length > longestPattern) return undefined;
  // Shortest first; a schema may also require a minimum length, or a lookahead one character more.
  for (const extra of [0, 1, 2, 4, 8, 16, 32]) {
    for (let choice = 0; choice < 4; choice += 1) {
      const text = new Sampler(pattern, extra, choice).sample();
      if (text !== undefined && accept(text)) return text;
    }
  }
  return undefined;
}

class Sampler {
  private at = 0;
  private readonly pattern: string;
  private readonly extra: number;
  private readonly choice: number;

  constructor(pattern: string, extra: number, choice: number) {
    this.pattern = pattern;
    this.extra = extra;
    this.choice = choice;
  }

  sample(): string | undefined {
    try {
      const text = this.alternatives();
      return this.at === this.pattern.length ? text : undefined;
    } catch {
      return undefined;
    }
  }

  private alternatives(): string {
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    return options[this.choice % options.length] ?? '';
  }

  private sequence(): string {
    let text = '';
    while (this.at < this.pattern.length && this.peek() !== '|' && this.peek() !== ')') text += this.piece();
    return text;
  }

  private piece(): string {
    if (this.take('^') || this.take('$')) return '';
    if (this.take('\\b') || this.take('\\B')) return '';
    const atom = this.atom();
    const [least, most] = this.repetition();
    const count = Math.min(most, least + this.extra);
    if (atom.length * count > longestText) throw new Error('too long');
    return atom.repeat(count);
  }

  private atom(): string {
    if (this.take('(')) {
      const silent = /^\?(?:<?[=!])/.test(this.pattern.slice(this.at));
      const prefix = /^\?(?::|<?[=!]|<[^>]+>)/.exec(this.pattern.slice(this.at))?.[0] ?? '';
      this.at += prefix.length;
      const text = this.alternatives();
      if (!this.take(')')) throw new Error('unclosed group');
      return silent ? '' : text;
    }
    const source =
      /^(?:\[\^?\]?(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[A-Za-z]|\\.|[^\\])/su.exec(
        this.pattern.slice(this.at),
      )?.[0];
    if (source === undefined) throw new Error('unreadable');
    this.at += source.length;
    return source.startsWith('[') || source.startsWith('\\') || source === '.' ? member(source) : source;
  }

  private repetition(): [least: number, most: number] {
    const rest = this.pattern.slice(this.at);
    const found = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(rest);
    if (found === null) return [1, 1];
    this.at += found[0].length;
    const [, sign, least, comma, most] = found;
    if (sign === '*') return [0, Infinity];
    if (sign === '+') return [1, Infinity];
    if (sign === '?') return [0, 1];
    const from = Number(least);
    return [from, comma === undefined ? from : most === '' ? Infinity : Number(most)];
  }

  private peek(): string {
    return this.pattern[this.at] ?? '';
  }

  private take(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }
}

/** A character of a class or an escape. */
function member(source: string): string {
  const test = compilePattern(`^(?:${source})$`);
  const own = source.replace(/^\[\^?/, '').replaceAll('\\', '');
  for (const character of [...likely, ...Array.from(own)]) {
    if (test?.test(character)) return character;
  }
  for (let code = 33; code < 1024; code += 1) {
    if (test?.test(String.fromCharCode(code))) return String.fromCharCode(code);
  }
  throw new Error('no member');
}

/** The pattern as JSON Schema means it (unicode), or as JavaScript accepts it; undefined if it is not a pattern. */
export function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Some patterns are valid only without the unicode flag.
    }
  }
  return undefined;
}
