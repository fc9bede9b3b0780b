import { diffArrays } from 'diff';
import type { ScriptedAnswer } from './scripted-answer.ts';

/** A script counts as an edited form of an example if it has at least this share of the example's lines. */
const KEPT_LINES = 0.5;
/** The most tokens that are removed and added before nothing is replaced: the time grows with their square. */
const MAX_EDITS = 1_000;

/** Strings, numbers, words, and everything else character by character. */
const tokens = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\d+(?:\.\d+)?|[\p{L}_$][\p{L}\d_$]*|\S/gu;
const isLiteral = /^['"\d]/;

/** The example that a script is an edited form of, if there is one. */
export function findOrigin<One extends { source: string }>(
  script: string,
  examples: readonly One[],
): One | undefined {
  const lines = new Set(linesOf(script));
  const rated = examples.map((example) => {
    const own = linesOf(example.source);
    return { example, share: own.filter((line) => lines.has(line)).length / own.length };
  });
  const best = rated.toSorted((a, b) => b.share - a.share)[0];
  return best !== undefined && best.share >= KEPT_LINES ? best.example : undefined;
}

/**
 * An example's scripted answers for an edited form of it: a string or number that the user has replaced in the script
 * is replaced in the scripted answers as well. Each is marked as `checked`, so that it is played only if it still
 * fits.
 */
export function adaptAnswers(
  source: string,
  script: string,
  scriptedAnswers: readonly ScriptedAnswer[],
): ScriptedAnswer[] {
  const replaced = replacedLiterals(source, script);
  return scriptedAnswers.map((scriptedAnswer) => {
    const { when, turn } =
      typeof scriptedAnswer === 'object' && 'turn' in scriptedAnswer
        ? scriptedAnswer
        : { when: undefined, turn: scriptedAnswer };
    return { ...(when === undefined ? {} : { when }), turn: replaceIn(turn, replaced), checked: true };
  });
}

/** The literals of `source` that stand in `script` with another value in the same place, as texts. */
function replacedLiterals(source: string, script: string): Map<string, string> {
  const replaced = new Map<string, string>();
  const changes =
    diffArrays(source.match(tokens) ?? [], script.match(tokens) ?? [], { maxEditLength: MAX_EDITS }) ?? [];
  for (const [index, change] of changes.entries()) {
    const next = changes[index + 1];
    if (!change.removed || next?.added !== true || change.value.length !== next.value.length) continue;
    for (const [at, from] of change.value.entries()) {
      const to = next.value[at]!;
      if (isLiteral.test(from) && isLiteral.test(to)) replaced.set(bare(from), bare(to));
    }
  }
  return replaced;
}

/** Replaces whole words in every text, and numbers, of a JSON value. */
function replaceIn<Value>(value: Value, replaced: ReadonlyMap<string, string>): Value {
  if (replaced.size === 0) return value;
  const any = [...replaced.keys()].map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  const pattern = new RegExp(String.raw`(?<![\p{L}\d])(?:${any.join('|')})(?![\p{L}\d])`, 'gu');
  const visit = (one: unknown): unknown => {
    if (typeof one === 'string') return one.replaceAll(pattern, (text) => replaced.get(text) ?? text);
    if (typeof one === 'number') {
      const other = Number(replaced.get(String(one)) ?? one);
      return Number.isNaN(other) ? one : other;
    }
    if (Array.isArray(one)) return one.map(visit);
    if (typeof one !== 'object' || one === null) return one;
    // a pause is not part of the model's text
    return Object.fromEntries(
      Object.entries(one).map(([key, inner]) => [key, key === 'delay' ? inner : visit(inner)]),
    );
  };
  // the same shape with other texts and numbers
  return visit(value) as Value;
}

function bare(literal: string): string {
  return literal.replaceAll(/^['"]|['"]$/g, '');
}

function linesOf(source: string): string[] {
  return source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length > 3);
}
