/** How much of a reply is read, in characters. */
const mostRead = 5_000;
/** The largest size that a result is brought to, in words, lines or characters. */
const largest = 10_000;
const mark = /^\s*validation failed:\s*/i;

/** What a refused result lacks, in the task's own words; undefined for a reply that refuses nothing. */
export function readFeedback(reply: unknown): string | undefined {
  if (typeof reply !== 'string' || !mark.test(reply)) return undefined;
  return reply
    .slice(0, mostRead)
    .replace(mark, '')
    .replace(/\n\s*Please review the task[\s\S]*$/, '')
    .trim();
}

/**
 * A result that follows the feedback. Each attempt reads it more literally: first the old result with the
 * requested text added, then that text alone, at last the feedback's own words.
 */
export function improveResult(result: string, feedback: string, attempt: number): string {
  const asked = [...readQuoted(feedback), ...readChoices(feedback)];
  const numbers = [...feedback.matchAll(/-?\d+(?:\.\d+)?/g)].map(([text]) => text);
  const size = readSize(feedback);
  if (size !== undefined && asked.length === 0) return resize(result, size, attempt);
  const wantsNumber = /\b(number|numeric|integer|digits?|amount|count)\b/i.test(feedback);
  if (/\bjson\b/i.test(feedback) && attempt <= 2) return toJson(result, asked);
  if (wantsNumber && asked.length === 0) return pickNumber(result, numbers, attempt);
  const values = asked.length > 0 ? asked : numbers.length > 0 ? numbers : [];
  if (values.length === 0) return attempt === 1 ? `${result} ${feedback}` : feedback;
  if (/\b(start|begin)s?\b/i.test(feedback)) return `${values[0] ?? ''} ${result}`;
  if (attempt === 1 && !/\b(exactly|equal|only|one of)\b/i.test(feedback))
    return `${result} ${values.join(', ')}`;
  return attempt <= 2 ? (values[0] ?? '') : values.join(' ');
}

type Size = { least: number; most: number; unit: 'words' | 'characters' | 'lines' };

function readSize(feedback: string): Size | undefined {
  const unit = /\b(words?|characters?|letters|chars|lines?|sentences?|items|bullets?|longer|shorter)\b/i.exec(
    feedback,
  )?.[1];
  const count = Number(/\d+/.exec(feedback)?.[0] ?? Number.NaN);
  if (unit === undefined || Number.isNaN(count)) return undefined;
  // only a range names an upper end: “at least 12 words, these are 9” does not
  const second = Number(/\d+\s*(?:to|and|or|[-–—])\s*(\d+)/i.exec(feedback)?.[1] ?? Number.NaN);
  const upper = /\b(at most|no more|fewer|less|under|below|shorter|maximum|up to|exceed)\b/i.test(feedback);
  const exact = /\bexactly\b/i.test(feedback);
  return {
    least: upper ? 0 : count,
    most: Number.isNaN(second) ? (upper || exact ? count : Infinity) : second,
    unit: /word/i.test(unit) ? 'words' : /line|sentence|item|bullet/i.test(unit) ? 'lines' : 'characters',
  };
}

function resize(result: string, { least, most, unit }: Size, attempt: number): string {
  // "More than 5" asks for one more than it says; a second attempt adds a little more.
  const wanted = Math.min(most, least + attempt, largest);
  if (unit === 'characters') {
    let text = result;
    while (text.length < wanted) text += ` ${result || 'more'}`;
    return text.slice(0, most === Infinity ? text.length : Math.max(0, most - (attempt - 1)));
  }
  const parts = result.split(unit === 'words' ? /\s+/ : /\n|(?<=[.!?])\s+/).filter((part) => part !== '');
  const filled = [...parts];
  for (let at = 0; filled.length < wanted; at += 1) filled.push(parts[at % parts.length] ?? 'more');
  const kept = filled.slice(0, most === Infinity ? filled.length : Math.max(1, most - (attempt - 1)));
  return kept.join(unit === 'words' ? ' ' : '\n');
}

function pickNumber(result: string, numbers: readonly string[], attempt: number): string {
  if (numbers.length >= 2 && attempt === 1) {
    const [low, high] = [Number(numbers[0]), Number(numbers[1])];
    if (low < high) return String(Number.isInteger(low) ? Math.ceil((low + high) / 2) : (low + high) / 2);
  }
  const own = /-?\d+(?:\.\d+)?/.exec(result)?.[0];
  return [...numbers, ...(own === undefined ? [] : [own]), '42'][attempt - 1] ?? numbers[0] ?? '42';
}

function readQuoted(feedback: string): string[] {
  const found = feedback.matchAll(/"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)/g);
  return [...found].map((one) => one.slice(1).find((text) => text !== undefined) ?? '');
}

function readChoices(feedback: string): string[] {
  const list = /\bone of:?\s*([^.\n]+)/i.exec(feedback)?.[1];
  if (list === undefined || /["“`']/.test(list)) return [];
  return list
    .split(/,|\bor\b/)
    .map((choice) => choice.trim())
    .filter((choice) => choice !== '');
}

function toJson(result: string, asked: readonly string[]): string {
  return JSON.stringify(
    asked.length === 0 ? { result } : Object.fromEntries(asked.map((key) => [key, result])),
  );
}
