import { ScriptError } from './script-error.ts';

/** How often the parser may read a character. Ordinary scripts need up to five reads of each. */
const READS = 300_000;
const READS_PER_CHARACTER = 10;

/** What is left of the reads that one or more parses of a script may take. */
export type ReadBudget = { left: number };

export function createReadBudget(source: string): ReadBudget {
  return { left: READS + READS_PER_CHARACTER * source.length };
}

/**
 * A script's text for Sucrase, in place of the string. Sucrase parses each operand of some constructs twice, such as
 * that of a cast `<A>(…)`, so its time doubles with each level of nesting: a line of 30 casts takes hours. All its
 * reads go through `charCodeAt`, which throws once the budget is used up.
 *
 * It has no indexed characters, so Sucrase's table of tokens takes it for one line and gives offsets as columns. For a
 * string, it searches all lines for each token.
 */
class ParserInput {
  readonly #source: string;
  readonly #budget: ReadBudget;
  readonly length: number;

  constructor(source: string, budget: ReadBudget) {
    this.#source = source;
    this.#budget = budget;
    this.length = source.length;
  }

  charCodeAt(index: number): number {
    this.#budget.left -= 1;
    if (this.#budget.left < 0) throw tooNested(this.#source, index);
    return this.#source.charCodeAt(index);
  }

  slice(start?: number, end?: number): string {
    return this.#source.slice(start, end);
  }

  toString(): string {
    return this.#source;
  }
}

/** Makes the text of a script for one parse. Sucrase throws a {@link ScriptError} when the budget is used up. */
export function toParserInput(source: string, budget: ReadBudget): string {
  // Sucrase uses no other members of the string
  return new ParserInput(source, budget) as unknown as string;
}

function tooNested(source: string, index: number): ScriptError {
  const before = source.slice(0, index).split('\n');
  return new ScriptError(
    'The script takes too long to parse: casts such as <A>(…), or arrow functions inside conditions, are nested too ' +
      'deeply here. Give the inner ones names of their own.',
    { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
  );
}
