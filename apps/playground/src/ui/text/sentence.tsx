import type { ReactNode } from 'react';
import { LongText } from '../long-text.tsx';

/** A letter of a script that is written from right to left, in the ranges that Unicode reserves for these. */
const letter = String.raw`(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]`;
/** Words of such a script, with what is between them, unless that is a letter. */
const words = new RegExp(String.raw`(${letter}(?:(?:${letter}|\P{L})*${letter})?)`, 'u');

/**
 * An error or a warning: a sentence of Cueline, from left to right, even if it begins with a name in Hebrew or Arabic.
 * Such words are isolated, so that they do not reorder the signs and numbers beside them. Long texts are shortened, as
 * `LongText` does it.
 */
export function Sentence(text: { text: string; atOnce?: number }) {
  return (
    <span dir="ltr">
      <LongText {...text} draw={isolateWords} />
    </span>
  );
}

function isolateWords(text: string): ReactNode {
  return text.split(words).map((part, index) => (index % 2 === 1 ? <bdi key={index}>{part}</bdi> : part));
}

/**
 * True if a text of unknown language, such as the result or the error of a tool, has more letters from right to left
 * than others.
 */
export function isRightToLeft(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.filter((one) => words.test(one)).length > letters.length / 2;
}
