import { beginningOf } from './beginning-of.ts';
import { dayOf, fieldFor, type Hints, readHints, toWords } from './hints.ts';
import { patternCost } from './pattern-cost.ts';
import type { Schema, SchemaRoot } from './schema.ts';
import { compilePattern, longestText, textFromPattern } from './text-from-pattern.ts';

const noHints = readHints('', new Map(), new Date(0));

type FieldPosition = { name: string; index: number; root: SchemaRoot };

// Steps of the schema's budget that a pattern counts as.
const stepsOfTest = 5;
const stepsOfSample = 50;

/** A text for the schema: from the conversation if possible, otherwise plausible, and always valid. */
export function makeText(schema: Schema, { name, index, root }: FieldPosition, hints: Hints): string {
  const formatted = byFormat(schema.format, hints);
  root.left -= stepsOfTest * (schema.patterns ?? []).length;
  const accept = acceptor(schema, formatted);
  const known = fieldFor(name, hints.fields);
  const candidates = [
    ...(typeof known === 'string' || typeof known === 'number' ? [String(known)] : []),
    ...formatted,
    ...byName(`${toWords(name)} ${(schema.description ?? '').toLowerCase()}`, toWords(name), hints),
    `example ${toWords(name) || 'text'}`,
    'example',
  ];
  // Items of one list differ as far as the conversation has different values.
  const turned = [...candidates.slice(index), ...candidates.slice(0, index)];
  for (const candidate of turned) {
    if (accept(candidate)) return candidate;
    const fitted = fit(candidate, schema);
    if (accept(fitted)) return fitted;
  }
  for (const pattern of schema.patterns ?? []) {
    root.left -= stepsOfSample;
    if (root.left <= 0) break;
    const text = textFromPattern(pattern, acceptor(schema, formatted, true));
    if (text !== undefined) return text;
  }
  return fit('example', schema);
}

/** True if the conversation itself has a text for the name. */
export function isTextMentioned(schema: Schema, name: string, hints: Hints): boolean {
  if (fieldFor(name, hints.fields) !== undefined) return true;
  const words = toWords(name);
  if (/email/.test(words)) return hints.emails.length > 0;
  if (/url|link|website/.test(words) || schema.format === 'uri') return hints.urls.length > 0;
  if (/^(date|day|when)$/.test(words) || schema.format === 'date') return hints.dates.length > 0;
  if (/path|file/.test(words)) return hints.paths.length > 0;
  return placeWords.test(words) && hints.places.length > 0;
}

const placeWords = /\b(city|location|place|town|destination|region|area|origin|from|to|where|address)\b/;

function byFormat(format: string | undefined, { emails, urls, dates, now }: Hints): string[] {
  const moment = now.toISOString();
  switch (format) {
    case 'email':
      return [...emails, 'ada@example.com'];
    case 'uri':
    case 'url':
    case 'uri-reference':
      return [...urls, 'https://example.com/'];
    case 'date':
      return [...dates, dayOf(now)];
    case 'date-time': {
      const [day = dayOf(now)] = dates;
      return [`${day}T09:00:00Z`, moment, `${day}T09:00:00`, `${day}T09:00`];
    }
    case 'time':
      return ['09:00:00', '09:00', '09:00:00Z'];
    case 'duration':
      return ['P1D', 'PT1H'];
    case 'uuid':
    case 'guid':
      return ['123e4567-e89b-42d3-a456-426614174000'];
    case 'ipv4':
      return ['192.0.2.1'];
    case 'ipv6':
      return ['2001:db8::1'];
    case 'cidrv4':
      return ['192.0.2.0/24'];
    case 'cidrv6':
      return ['2001:db8::/32'];
    case 'hostname':
      return ['example.com'];
    case 'base64':
      return ['aGVsbG8='];
    case 'base64url':
      return ['aGVsbG8'];
    case 'e164':
      return ['+14155552671'];
    case 'jwt':
      return ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2ln'];
    case 'emoji':
      return ['🙂'];
    case 'json-string':
      return ['{}'];
    default:
      return [];
  }
}

/** A plausible value for the name. The name itself takes precedence over its description. */
function byName(context: string, words: string, hints: Hints): string[] {
  const { request, quoted, places, emails, urls, dates, paths, now } = hints;
  const gist = beginningOf(request.replace(/\s+/g, ' ').trim(), 120) || 'an example';
  const is = (pattern: RegExp): boolean => pattern.test(words);
  if (is(/e-?mail|recipient/) || (words === 'to' && emails.length > 0)) return [...emails, 'ada@example.com'];
  if (is(/\b(url|uri|link|website|href)\b/)) return [...urls, 'https://example.com/'];
  if (is(placeWords)) return [...places, 'Lisbon', 'Porto', 'Faro'];
  if (is(/\bcountry\b/)) return [...places, 'Portugal', 'Spain'];
  if (is(/\b(date|day|when|deadline|start|end)\b/)) return [...dates, dayOf(now)];
  if (is(/\b(time|hour)\b/)) return ['09:00'];
  if (is(/\b(path|file|filename)\b/)) return [...paths, 'notes.txt', 'ideas.txt'];
  if (is(/expression|formula|equation|calculation/)) return [...arithmetic(request), '6 * 7'];
  if (is(/\b(language|locale|lang)\b/)) return ['en', 'English'];
  if (is(/\bcurrency\b/)) return [...(/\b[A-Z]{3}\b/.exec(request) ?? []), 'EUR', 'USD'];
  if (is(/\bunits?\b/)) return ['celsius'];
  if (is(/\bcolou?r\b/)) return ['teal', 'amber'];
  if (is(/\bphone\b/)) return ['+14155552671'];
  if (is(/\b(title|subject|headline)\b/)) return [...quoted, headline(gist)];
  if (is(/\b(name|author|user|person|customer|username)\b/))
    return [...quoted, 'Ada Lovelace', 'Alan Turing'];
  if (is(/\bid\b/)) return ['demo-1', '1'];
  if (
    is(
      /quer|question|search|topic|prompt|text|message|input|content|body|note|description|task|summary|result|answer|q$/,
    )
  ) {
    return [...quoted, gist];
  }
  if (/\bcity\b|\bplace\b|\blocation\b/.test(context)) return [...places, 'Lisbon', 'Porto'];
  return [...quoted, ...(request === '' ? [] : [headline(gist)])];
}

// A schema's pattern may take exponential time.
const mostCost = 100_000;

/**
 * A check of texts. `sampled`: they were made from a pattern, so that a pattern that is too costly to test is left
 * out.
 */
function acceptor(schema: Schema, formatted: readonly string[], sampled = false): (text: string) => boolean {
  const tests = (schema.patterns ?? []).flatMap((pattern) => compilePattern(pattern) ?? []);
  return (text) => {
    if (text.length < Math.min(schema.minLength ?? 0, longestText)) return false;
    if (text.length > (schema.maxLength ?? Infinity)) return false;
    const cheap = tests.filter(({ source }) => patternCost(source, text.length) <= mostCost);
    if (!cheap.every((test) => test.test(text))) return false;
    if (cheap.length < tests.length)
      return (
        sampled ||
        (byFormat(schema.format, noHints).length > 0 && isOfFormat(schema.format, text)) ||
        formatted.includes(text)
      );
    return formatted.includes(text) || tests.length > 0 || isOfFormat(schema.format, text);
  };
}

function isOfFormat(format: string | undefined, text: string): boolean {
  switch (format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+\.[a-z]+$/i.test(text);
    case 'uri':
    case 'url':
      return URL.canParse(text);
    case 'date':
      return /^\d{4}-\d{2}-\d{2}$/.test(text);
    case 'date-time':
      return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text);
    case 'time':
      return /^\d{2}:\d{2}/.test(text);
    case 'uuid':
    case 'guid':
      return /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text);
    case undefined:
      return true;
    default:
      // Plausible values for these need an example.
      return byFormat(format, noHints).length === 0;
  }
}

function fit(text: string, { minLength: least = 0, maxLength = Infinity }: Schema): string {
  const minLength = Math.min(least, longestText);
  let fitted = text;
  while (fitted.length < minLength) fitted += fitted === '' ? 'x' : ` ${text}`;
  if (fitted.length <= maxLength) return fitted;
  const cut = beginningOf(fitted, maxLength).trimEnd();
  return cut.length >= minLength ? cut : cut.padEnd(minLength, '.');
}

function headline(text: string): string {
  const words = text.split(' ').slice(0, 6).join(' ');
  return words.replace(/[.,;:!?]+$/, '');
}

function arithmetic(request: string): string[] {
  const found = /-?\d{1,15}(?:\.\d{1,15})?(?:\s{0,9}[-+*/×^]\s{0,9}-?\d{1,15}(?:\.\d{1,15})?){1,99}/.exec(
    request,
  )?.[0];
  return found === undefined ? [] : [found.replaceAll('×', '*')];
}
