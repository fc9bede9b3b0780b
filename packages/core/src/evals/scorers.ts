import { CuelineError } from '../base/errors.ts';
import { plural } from '../base/plural.ts';
import { quoteValue } from '../base/quote-value.ts';
import { canonicalJson } from '../json/canonical.ts';
import { parseJson } from '../json/parse-json.ts';
import { describeIssues, type Issue, type ToolSchema } from '../tools/schema.ts';
import { validateJson } from '../tools/validate-json.ts';
import { validateStandard } from '../tools/validate-standard.ts';
import type { EvalOutput, EvalToolCall } from './eval-output.ts';
import { parseExactJson } from './exact-json.ts';
import type { Scorer, ScoreValue } from './scorer.ts';

/** Settings of scorers that compare texts. */
export type TextOptions = {
  /** Whether upper and lower case differ. Default false. */
  readonly caseSensitive?: boolean;
};

const fail = (reason: string): ScoreValue => ({ score: 0, pass: false, reason });

/** Passes if the text of the answer is `expect`, apart from case and the space around it. */
export function equals(options: TextOptions = {}): Scorer {
  return {
    name: 'equals',
    score({ output, expect }) {
      const expected = expectedText(expect);
      return normalized(output.text, options) === normalized(expected, options)
        ? true
        : fail(`expected ${quoteValue(expected)}, got ${quoteValue(output.text)}`);
    },
  };
}

/** Returns a text without the space around it, in lower case unless the case matters. */
function normalized(text: string, { caseSensitive = false }: TextOptions): string {
  return caseSensitive ? text.trim() : text.trim().toLowerCase();
}

/** Passes if the answer contains `text`, or without it the `expect` of the case: one text, or all of a list. */
export function contains(text?: string | readonly string[], options: TextOptions = {}): Scorer {
  return {
    name: 'contains',
    score({ output, expect }) {
      const wanted = [text ?? expectOf(expect, "contains('…')")].flat().map(expectedText);
      const answer = normalized(output.text, options);
      const missing = wanted.filter((one) => !answer.includes(normalized(one, options)));
      if (missing.length === 0) return true;
      const reason = `the answer lacks ${missing.map(quoteValue).join(', ')}`;
      return { score: 1 - missing.length / wanted.length, pass: false, reason };
    },
  };
}

/** Passes if the answer matches `pattern`, or without it the `expect` of the case. */
export function matches(pattern?: RegExp): Scorer {
  return {
    name: 'matches',
    score({ output, expect }) {
      const wanted = pattern ?? expectOf(expect, 'matches(/…/)');
      const expression =
        wanted instanceof RegExp
          ? new RegExp(wanted.source, wanted.flags.replace('g', ''))
          : new RegExp(expectedText(wanted));
      return expression.test(output.text)
        ? true
        : fail(`${quoteValue(output.text)} does not match ${String(expression)}`);
    },
  };
}

/** Settings of {@link jsonEquals}. */
export type JsonEqualsOptions = {
  /**
   * Whether `expect` is a JSON text, such as that of a CSV file. Then numbers are compared with all their digits.
   * Default false: they are compared as numbers of JavaScript, which have about 16 digits.
   */
  readonly expectsText?: boolean;
};

/**
 * Passes if the answer, as JSON, equals `expect`. The order of members does not matter, and text around it is
 * ignored.
 */
export function jsonEquals({ expectsText = false }: JsonEqualsOptions = {}): Scorer {
  return {
    name: 'jsonEquals',
    score({ output, expect }) {
      // the object of an output schema has numbers of JavaScript
      const parse = expectsText && output.object === undefined ? parseExactJson : parseJson;
      const wanted = expectsText ? parse(expectedText(expect)) : expect;
      if (expectsText && wanted === undefined) {
        throw new CuelineError(
          'invalid_definition',
          'the expected answer of this case is not JSON. Correct it.',
        );
      }
      const value = jsonOf(output, parse);
      if (value === undefined) return fail(`${quoteValue(output.text)} is not JSON`);
      const [got, expected] = [canonicalJson(value), canonicalJson(wanted)];
      return got === expected ? true : fail(`expected ${quoteValue(expected)}, got ${quoteValue(got)}`);
    },
  };
}

/** Passes if the answer, as JSON, fits the schema. */
export function fitsSchema(schema: ToolSchema): Scorer {
  return {
    name: 'fitsSchema',
    async score({ output }) {
      const value = jsonOf(output);
      if (value === undefined) return fail(`${quoteValue(output.text)} is not JSON`);
      const { issues } = (await validateStandard(schema, value)) ?? (await validateJson(schema, value));
      return issues === undefined ? true : fail(describeIssues(issues as Issue[]));
    },
  };
}

/** Returns the object of the answer, or the JSON in its text: alone, in a code block, or between other text. */
function jsonOf({ object, text }: Pick<EvalOutput, 'object' | 'text'>, parse = parseJson): unknown {
  if (object !== undefined) return object;
  const whole = parse(text.trim());
  if (whole !== undefined) return whole;
  const block = /```(?:json)?\s*\n(.*?)\n\s*```/s.exec(text)?.[1];
  if (block !== undefined) return parse(block);
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'));
  return start === -1 || end < start ? undefined : parse(text.slice(start, end + 1));
}

/** How far a number may be from the expected one. */
export type Tolerance = {
  /** The largest difference. */
  readonly absolute?: number;
  /** The largest difference as a share of the expected number, such as 0.01 for 1 %. */
  readonly relative?: number;
};

/** Passes if the last number of the answer is `expect`, within the larger of the tolerances. Default: equal. */
export function closeTo({ absolute = 0, relative = 0 }: Tolerance = {}): Scorer {
  return {
    name: 'closeTo',
    score({ output, expect }) {
      const expected = Number(expectOf(expect));
      if (Number.isNaN(expected)) throw invalidExpectError(`is ${quoteValue(expect)}. Write a number`);
      const last = typeof output.object === 'number' ? output.object : lastNumber(output.text);
      if (Number.isNaN(last)) return fail(`${quoteValue(output.text)} has no number`);
      const allowed = Math.max(absolute, relative * Math.abs(expected));
      // a sum of decimals is off by some units in the last place
      const slack = Number.EPSILON * 4 * Math.max(Math.abs(last), Math.abs(expected));
      return Math.abs(last - expected) <= allowed + slack ? true : fail(`expected ${expected}, got ${last}`);
    },
  };
}

/** Returns the last number of a text; NaN if it has none. */
function lastNumber(text: string): number {
  const plain = text.replaceAll('\u2212', '-');
  // 1,234.5 has separators; the comma of "1, 2" has a space after it
  const match = [...plain.matchAll(/(-?\.?)(\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?)/gi)].at(-1);
  if (match === undefined) return NaN;
  const [, prefix = '', digits = ''] = match;
  // the first character of the prefix is no sign or point in 10-15, no.5 and ...5
  const isPunctuation = /[\p{L}\d.]/u.test(plain[match.index - 1] ?? '');
  return Number(`${isPunctuation ? prefix.slice(1) : prefix}${digits}`.replaceAll(',', ''));
}

/**
 * A tool call that is expected. Without `input`, its arguments do not matter; members that `input` lacks do not
 * either.
 */
export type ExpectedCall = { readonly name: string; readonly input?: unknown };

/** Settings of {@link callsTools}. */
export type CallsToolsOptions = {
  /**
   * `contains` (default): the expected calls are among the calls, in any order. `inOrder`: they are, in this order.
   * `exactly`: they are all calls, in this order.
   */
  readonly mode?: 'contains' | 'inOrder' | 'exactly';
};

/** Passes if the run made these tool calls, or without them the `expect` of the case. */
export function callsTools(
  calls?: readonly (string | ExpectedCall)[],
  { mode = 'contains' }: CallsToolsOptions = {},
): Scorer {
  return {
    name: 'callsTools',
    score({ output: { toolCalls }, expect }) {
      // an empty list expects that there is no call
      const isNone = mode === 'exactly' && Array.isArray(expect);
      const wanted = calls ?? (isNone ? expect : expectOf(expect, "callsTools(['…'])"));
      const expected = [wanted as string | ExpectedCall | readonly (string | ExpectedCall)[]]
        .flat()
        .map((call) => (typeof call === 'string' ? { name: call } : call));
      const missing = (mode === 'contains' ? missingCalls : missingInOrder)(expected, toolCalls);
      if (missing.length > 0) {
        const made =
          toolCalls.map(({ name, input }) => `${name}(${JSON.stringify(input)})`).join(', ') || 'none';
        const reason = `no call ${missing.map(describeCall).join(', ')}${mode === 'contains' ? '' : ' in this order'}; calls: ${made}`;
        return { score: 1 - missing.length / expected.length, pass: false, reason };
      }
      if (mode === 'exactly' && toolCalls.length !== expected.length) {
        return fail(`expected ${plural(expected.length, 'call')}, got ${toolCalls.length}`);
      }
      return true;
    },
  };
}

/** Returns the expected calls that no call is left for, if each call stands for one of them at most. */
function missingCalls(expected: readonly ExpectedCall[], made: readonly EvalToolCall[]): ExpectedCall[] {
  /** The expected call that a call stands for. */
  const takenBy = new Map<EvalToolCall, ExpectedCall>();
  /** Finds a call for `wanted`; if another expected call has it, that one takes a call that it also fits. */
  const find = (wanted: ExpectedCall, tried: Set<EvalToolCall>): boolean =>
    made.some((call) => {
      if (tried.has(call) || !fits(call, wanted)) return false;
      tried.add(call);
      const other = takenBy.get(call);
      if (other !== undefined && !find(other, tried)) return false;
      takenBy.set(call, wanted);
      return true;
    });
  return expected.filter((wanted) => !find(wanted, new Set()));
}

/** Returns the expected calls that are not made after those before them. */
function missingInOrder(expected: readonly ExpectedCall[], made: readonly EvalToolCall[]): ExpectedCall[] {
  let next = 0;
  return expected.filter((wanted) => {
    const at = made.findIndex((call, index) => index >= next && fits(call, wanted));
    if (at === -1) return true;
    next = at + 1;
    return false;
  });
}

function fits({ name, input }: EvalToolCall, wanted: ExpectedCall): boolean {
  return name === wanted.name && (wanted.input === undefined || includes(input, wanted.input));
}

/** True if a value has at least the members of `part`, at any depth. Lists are compared whole. */
function includes(value: unknown, part: unknown): boolean {
  const isObject = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!isObject(part) || !isObject(value)) return canonicalJson(value) === canonicalJson(part);
  return Object.entries(part).every(
    ([key, member]) => Object.hasOwn(value, key) && includes(value[key], member),
  );
}

function describeCall({ name, input }: ExpectedCall): string {
  return input === undefined ? name : `${name}(${JSON.stringify(input)})`;
}

/** Passes if every task of the run's task list is completed or skipped; `titles` names those that must be there. */
export function completesTasks(titles: readonly string[] = []): Scorer {
  return {
    name: 'completesTasks',
    score({ output: { tasks } }) {
      const done = tasks.filter(({ status }) => status === 'completed' || status === 'skipped');
      const missing = titles.filter((title) => !done.some((task) => task.title === title));
      const open = tasks.filter((task) => !done.includes(task)).map(({ title }) => title);
      const problems = [...new Set([...missing, ...open])];
      if (problems.length === 0 && tasks.length > 0) return true;
      if (tasks.length === 0) return fail('the run has no tasks');
      const absent = titles.filter((title) => !tasks.some((task) => task.title === title));
      return {
        score: done.length / (tasks.length + absent.length),
        pass: false,
        reason: `not completed: ${problems.join(', ')}`,
      };
    },
  };
}

/**
 * Returns what a case expects. `instead` is a call of the scorer that needs none. Without either, every answer would
 * pass, as it would with an empty text, such as an empty cell of a CSV file, or an empty list.
 */
function expectOf(expect: unknown, instead?: string): unknown {
  const isEmpty =
    typeof expect === 'string' ? expect.trim() === '' : Array.isArray(expect) && expect.length === 0;
  if (expect !== undefined && expect !== null && !isEmpty) return expect;
  const what = isEmpty ? 'is empty' : 'is missing';
  throw invalidExpectError(`${what}. Write it${instead === undefined ? '' : `, or ${instead}`}`);
}

function invalidExpectError(what: string): CuelineError {
  return new CuelineError('invalid_definition', `the "expect" of this case ${what}.`);
}

function expectedText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : canonicalJson(value);
}
