/**
 * An upper bound of the ways in which a regular expression can match a text of this length, and so of the steps that
 * a test of it takes. Infinity for a pattern that is too complex to tell.
 */
export function patternCost(pattern: string, length: number): number {
  // a back-reference or a pattern of this size is not worth reading
  if (pattern.length > 1_000 || /\\[1-9k]/.test(pattern)) return Infinity;
  const reader = new CostReader(pattern, length);
  const ways = reader.alternatives(0);
  // each way has a step for a part of the pattern or for a character; a search without `^` begins at each character
  return (
    ways *
    Math.min(pattern.length, length + 1) *
    (pattern.startsWith('^') && !reader.hasBranches ? 1 : length + 1)
  );
}

const atom = /\[\^?\]?(?:\\.|[^\]\\])*\]|\\[pPu]\{[^}]*\}|\\.|[^\\]/suy;
const repetition = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;

class CostReader {
  private at = 0;
  private readonly pattern: string;
  private readonly length: number;
  /** True if the whole pattern has several branches, which may begin differently. */
  hasBranches = false;

  constructor(pattern: string, length: number) {
    this.pattern = pattern;
    this.length = length;
  }

  /** Branches add up. */
  alternatives(depth: number): number {
    let ways = this.sequence(depth);
    while (this.pattern[this.at] === '|') {
      this.at += 1;
      this.hasBranches ||= depth === 0;
      ways += this.sequence(depth);
    }
    // a parenthesis that closes nothing
    return depth === 0 && this.at < this.pattern.length ? Infinity : ways;
  }

  /** Parts multiply. */
  private sequence(depth: number): number {
    let ways = 1;
    while (this.at < this.pattern.length && !'|)'.includes(this.pattern[this.at]!)) ways *= this.part(depth);
    return ways;
  }

  private part(depth: number): number {
    const ways = this.pattern[this.at] === '(' ? this.group(depth) : this.read(atom) === null ? Infinity : 1;
    if (ways === Infinity) {
      this.at = this.pattern.length;
      return Infinity;
    }
    const found = this.read(repetition);
    if (found === null) return ways;
    const [, sign, least = '0', comma, most = ''] = found;
    if (sign === '?') return ways + 1;
    if (sign === undefined && comma === '') return ways ** Number(least);
    const longest = sign !== undefined || most === '' ? this.length : Math.min(Number(most), this.length);
    // one way for each number of repetitions, unless each repetition has several itself
    return ways === 1 ? longest + 1 : Infinity;
  }

  private group(depth: number): number {
    if (depth > 50) return Infinity;
    this.read(/\((?:\?(?::|<?[=!]|<[^>]+>))?/y);
    const ways = this.alternatives(depth + 1);
    this.at += 1;
    return ways;
  }

  private read(kind: RegExp): RegExpExecArray | null {
    kind.lastIndex = this.at;
    const found = kind.exec(this.pattern);
    this.at += found?.[0].length ?? 0;
    return found;
  }
}
