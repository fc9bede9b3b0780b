import { CuelineError } from '../base/errors.ts';
import { isUnawaited } from '../base/is-promise.ts';
import { isRecord } from '../base/is-record.ts';
import { contentTypes, isPart, type ContentPart } from '../messages/content-part.ts';
import { imageTypeOfUrl } from '../messages/media-type.ts';

/**
 * Returns the text of a tagged template, without the indentation of its source code. Only the template's own
 * lines are dedented; interpolated values stay unchanged. A Blob, a File, the URL of an image or a part made by
 * `textPart`, `imagePart`, `filePart` or `audioPart` is a part of its own, between the texts before and after
 * it.
 * @throws CuelineError `invalid_definition` for a value that has no sensible text
 */
export function renderTemplate(
  strings: TemplateStringsArray,
  values: readonly unknown[],
): string | ContentPart[] {
  const indent = commonIndent(strings.raw);
  const dedented = strings.map((part, index) => dedent(part, strings.raw[index]!, indent));
  const parts: ContentPart[] = [];
  let text = dedented[0] ?? '';
  for (const [index, value] of values.entries()) {
    const part = attachmentOf(value);
    if (part === undefined) text += valueText(value, index);
    else {
      parts.push(...textBetween(text, parts.length > 0), part);
      text = '';
    }
    text += dedented[index + 1] ?? '';
  }
  if (parts.length === 0) return withoutMargins(text);
  return [...parts, ...textBetween(text, true)];
}

/** Returns the text without leading empty lines and trailing space. */
function withoutMargins(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}

/** Returns the text next to a part, if there is any. Text after a part on the same line starts without a space. */
function textBetween(text: string, follows: boolean): ContentPart[] {
  const words = withoutMargins(follows ? text.replace(/^[ \t]+/, '') : text);
  return words === '' ? [] : [{ type: 'text', text: words }];
}

/** Returns the part that a value makes; undefined for a value that is written into the text. */
function attachmentOf(value: unknown): ContentPart | undefined {
  // a file of an unknown media type is refused with the message
  if (value instanceof Blob) return { type: 'file', data: value, mediaType: value.type };
  if (value instanceof URL)
    return imageTypeOfUrl(value) === undefined ? undefined : { type: 'image', image: value };
  return isRecord(value) && isPart(value) ? (value as ContentPart) : undefined;
}

/** The line feeds of source code: escaped ones, and its own. Other escapes and continued lines have none. */
const lineFeeds = /\\(n|x0[aA]|u000[aA]|u\{0*[aA]\})|\\[^]|(\n)/g;

/**
 * Removes the indentation of the source code. A line after an escaped line feed keeps its own. A part with an escape
 * that JavaScript does not know, such as `\usepackage`, has no text but its source code.
 */
function dedent(part: string | undefined, raw: string, indent: number): string {
  const lineBegin = new RegExp(`\n[ \t]{0,${indent}}`, 'g');
  if (part === undefined) return raw.replaceAll(lineBegin, '\n');
  const isEscaped = [...raw.matchAll(lineFeeds)]
    .filter(([, escaped, own]) => escaped !== undefined || own !== undefined)
    .map(([, escaped]) => escaped !== undefined);
  let line = 0;
  return part.replaceAll(lineBegin, (all) => (isEscaped[line++] === true ? all : '\n'));
}

/**
 * Returns the common indentation of all lines of the source code, in characters; a line that only closes the template
 * does not count.
 */
function commonIndent(strings: readonly string[]): number {
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

function valueText(value: unknown, index: number): string {
  const where = `The ${ordinal(index + 1)} value in the template`;
  if (value === undefined || value === null) {
    throw new CuelineError(
      'invalid_definition',
      `${where} is ${value}. Give it a value, or write \${value ?? ''} if it may be empty.`,
    );
  }
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new CuelineError(
      'invalid_definition',
      `${where} is a ${typeof value}. Call it, or interpolate its text.`,
    );
  }
  if (isUnawaited(value)) {
    throw new CuelineError('invalid_definition', `${where} is a promise. Write \${await …}.`);
  }
  // an object's own toString is used; the inherited one is useless
  const text = (value as { toString?(): string }).toString?.() ?? '[object ';
  if (text.includes('[object ') && typeof value === 'object') {
    const { type } = value as { type?: unknown };
    const looksLike = contentTypes.find((known) => known === type);
    if (looksLike !== undefined) throw notAPartError(where, looksLike);
    throw new CuelineError(
      'invalid_definition',
      `${where} is an object. Define it with prompt.defData('NAME', value) and interpolate what that returns, or write \${JSON.stringify(value)}.`,
    );
  }
  return text;
}

/** Checks who made the part, because data of the same shape may come from a client or a tool. */
function notAPartError(where: string, type: ContentPart['type']): CuelineError {
  return new CuelineError(
    'invalid_definition',
    `${where} is a plain object of the type '${type}', which is data, not a part. Make a part with ${type}Part(…), or write \${JSON.stringify(value)} for data.`,
  );
}

function ordinal(n: number): string {
  return ['first', 'second', 'third'][n - 1] ?? `${n}th`;
}
