import { CuelineError } from '../errors.ts';

/**
 * The text of a tagged template, without the indentation that its source code has. Only the template's own lines
 * are dedented; interpolated values stay as they are.
 * @throws CuelineError `invalid_definition` for a value that has no sensible text
 */
export function renderTemplate(strings: TemplateStringsArray, values: readonly unknown[]): string {
  const indent = commonIndent(strings);
  const dedented = strings.map((part) =>
    indent === 0 ? part : part.replaceAll(new RegExp(`\n[ \t]{1,${indent}}`, 'g'), '\n'),
  );
  let text = dedented[0] ?? '';
  for (const [index, value] of values.entries()) text += textOf(value, index) + (dedented[index + 1] ?? '');
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}

/** The indentation that all lines share, in characters; a line that only closes the template does not count. */
function commonIndent(strings: TemplateStringsArray): number {
  let indent = Infinity;
  for (const [index, part] of strings.entries()) {
    const lines = part.split('\n').slice(1);
    for (const [line, text] of lines.entries()) {
      const width = /^[ \t]*/.exec(text)![0].length;
      const valueFollows = line === lines.length - 1 && index < strings.length - 1;
      if (width < text.length || valueFollows) indent = Math.min(indent, width);
    }
  }
  return indent === Infinity ? 0 : indent;
}

function textOf(value: unknown, index: number): string {
  const where = `The ${ordinal(index + 1)} value in the template`;
  if (value === undefined || value === null) {
    throw new CuelineError(
      'invalid_definition',
      `${where} is ${value}. Give it a value, or write \${value ?? ''} where nothing may stand there.`,
    );
  }
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new CuelineError(
      'invalid_definition',
      `${where} is a ${typeof value}. Call it, or interpolate its text.`,
    );
  }
  if (typeof (value as { then?: unknown }).then === 'function') {
    throw new CuelineError('invalid_definition', `${where} is a promise. Write \${await …}.`);
  }
  // an object's own toString is taken at its word; the one that every object has says nothing
  const text = (value as { toString?(): string }).toString?.() ?? '[object ';
  if (text.includes('[object ') && typeof value === 'object') {
    throw new CuelineError(
      'invalid_definition',
      `${where} is an object. Define it with prompt.defData('NAME', value) and interpolate what that returns, or write \${JSON.stringify(value)}.`,
    );
  }
  return text;
}

function ordinal(n: number): string {
  return ['first', 'second', 'third'][n - 1] ?? `${n}th`;
}
