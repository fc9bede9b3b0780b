import { parseJson } from '../json/parse-json.ts';

/** A string or a number of JSON. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/**
 * Returns the value of a JSON text, in which each number that JavaScript rounds is a text with all its digits.
 * Undefined if the text is not JSON.
 */
export function parseExactJson(text: string): unknown {
  // in a text that is not JSON, a quotation mark may be outside of a string
  if (parseJson(text) === undefined) return undefined;
  return parseJson(text.replaceAll(STRING_OR_NUMBER, (part) => (part.startsWith('"') ? part : exact(part))));
}

function exact(literal: string): string {
  const digits = decimal(literal);
  return decimal(String(Number(literal))) === digits ? literal : `"number ${digits}"`;
}

/**
 * Writes a number without superfluous zeros and without a point, so that equal numbers are equal texts: `12.50` is
 * `125e-1`.
 */
function decimal(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${literal.startsWith('-') ? '-' : ''}${significant}${power === 0 ? '' : `e${power}`}`;
}
