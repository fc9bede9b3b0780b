import { isRecord } from '../base/is-record.ts';
import { parseJson } from '../base/parse-json.ts';
import { HttpError } from '../http/respond.ts';
import { estimateTokens, type ReportedUsage, type TokenCounts } from '../limits/charge.ts';
import type { Api, CheckedBody } from './api.ts';
import { hasKey, redactKey, redactError } from './redact.ts';
import { dataOf } from './split-events.ts';

/** Measures the cost of a call while its answer is forwarded. */
export type Meter = {
  /** The usage that the provider has reported so far. */
  used: ReportedUsage;
  /** An estimate of the tokens of the text that was sent and received. */
  readonly seen: TokenCounts;
  /** Counts the text of these events, and returns whether some of them have to be read or changed. */
  mayConcern(events: string): boolean;
  /** The event to forward, without the key; undefined for an event that only the proxy asked for. */
  readEvent(event: string): string | undefined;
  /** The same for an answer in JSON. Throws an HttpError if it is not JSON. */
  readAnswer(text: string): string;
};

/** A meter for one call. `hideUsage` drops the usage event that the caller did not ask for. */
export function createMeter(api: Api, key: string, { body, hideUsage = false }: CheckedBody): Meter {
  const used: ReportedUsage = {};
  const input = estimateTokens(textLength(body));
  const deltas = new RegExp(`"(?:${api.deltas.join('|')})"\\s*:\\s*"([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"`, 'g');
  /** Characters of the answer so far. */
  let answerLength = 0;

  function count(data: Record<string, unknown>): boolean {
    const usage = api.usage(data);
    // one event may report only a part
    for (const [name, tokens] of Object.entries(usage ?? {})) {
      if (tokens !== undefined) used[name as keyof ReportedUsage] = tokens;
    }
    return usage !== undefined;
  }

  /** Removes the key, and from what contains an error also what looks like a key or an account. */
  function redactText(text: string): string {
    return errorField.test(text) ? redactError(text, key) : redactKey(text, key);
  }

  return {
    used,
    get seen() {
      return { input, output: estimateTokens(answerLength) };
    },
    mayConcern(events) {
      for (const [, text = ''] of events.matchAll(deltas)) answerLength += lengthOf(text);
      // a plain text search costs a fraction of parsing
      return (
        hasKey(events, key) ||
        (events.includes('"error"') && errorField.test(events)) ||
        (events.includes('"usage') && usageField.test(events))
      );
    },
    readEvent(event) {
      const text = redactText(event);
      if (!usageField.test(text)) return text;
      const data = parseJson(dataOf(text) ?? '');
      if (!isRecord(data)) return text;
      const usage = count(data);
      const { choices } = data;
      return hideUsage && usage && Array.isArray(choices) && choices.length === 0 ? undefined : text;
    },
    readAnswer(text) {
      const data = parseJson(text);
      if (!isRecord(data)) {
        throw new HttpError('upstream_malformed', "The provider's answer is not a JSON object.");
      }
      count(data);
      answerLength = textLength(data);
      return redactText(text);
    },
  };
}

/** The fields in which all formats keep the model's input and output. */
const textFields = new Set(['content', 'text', 'arguments', 'input', 'output']);

/** The length of all texts of a body, without tools, which some providers store in fewer characters. */
function textLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + textLength(item), 0);
  if (!isRecord(value)) return 0;
  return Object.entries(value).reduce((sum, [name, field]) => {
    if (name === 'tools') return sum;
    return sum + (typeof field === 'string' && textFields.has(name) ? field.length : textLength(field));
  }, 0);
}

/** The number of characters of a text in JSON. */
function lengthOf(text: string): number {
  if (!text.includes('\\')) return text.length;
  const read = parseJson(`"${text}"`);
  return typeof read === 'string' ? read.length : text.length;
}

const errorField = /"error"\s*:\s*\{/;
const usageField = /"usage(?:Metadata)?"\s*:\s*\{/;
