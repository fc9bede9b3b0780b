/** Values from a conversation, for making plausible arguments. */
export type Hints = {
  /** The user's request, with variables filled in. */
  request: string;
  /** Values by their name in words ("user city"): variables, their fields, and fields of earlier tool results. */
  fields: ReadonlyMap<string, unknown>;
  quoted: readonly string[];
  numbers: readonly number[];
  places: readonly string[];
  emails: readonly string[];
  urls: readonly string[];
  dates: readonly string[];
  paths: readonly string[];
  /** The date of "today". */
  now: Date;
};

// Capitalised words after "in" or "for" that are not places.
const notPlaces = new RegExp(
  '^(?:I|The|A|An|My|Me|This|That|It|You|English|French|German|Spanish|Portuguese|TypeScript|JavaScript|Python|' +
    'JSON|Markdown|HTML|January|February|March|April|May|June|July|August|September|October|November|December|' +
    'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Celsius|Fahrenheit)$',
);

/** How much of a request or a description is read for values, in characters. */
export const mostRead = 20_000;
/** How many words of a name are looked for. */
const mostWords = 6;

/** Reads values from the beginning of the request. `fields` are values that are known by name. */
export function readHints(whole: string, fields: ReadonlyMap<string, unknown>, now: Date): Hints {
  const request = whole.slice(0, mostRead);
  const urls = all(request, /https?:\/\/[^\s"'<>)\]]+[^\s"'<>)\].,;!?]/g);
  const withoutUrls = urls.reduce((text, url) => text.replaceAll(url, ' '), request);
  const day = 24 * 60 * 60 * 1000;
  const dates = all(withoutUrls, /\b\d{4}-\d{2}-\d{2}\b/g);
  if (/\btoday\b/i.test(request)) dates.push(dayOf(now));
  if (/\btomorrow\b/i.test(request)) dates.push(dayOf(new Date(now.getTime() + day)));
  return {
    request,
    fields,
    quoted: [
      ...withoutUrls.matchAll(
        /"([^"\n]{1,200})"|“([^”\n]{1,200})”|`([^`\n]{1,200})`|(?<!\w)'([^'\n]{1,200})'(?!\w)/g,
      ),
    ].map((found) => found.slice(1).find((text) => text !== undefined) ?? ''),
    numbers: all(withoutUrls, /(?<![\w.-])-?\d+(?:\.\d+)?(?![\w-]|\.\d)/g).map(Number),
    places: readPlaces(withoutUrls),
    emails: all(withoutUrls, /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g),
    urls,
    dates,
    paths: all(
      withoutUrls,
      /(?<![\w@])(?:\.{0,2}\/)?(?:[\w-]{1,80}\/){0,20}[\w-]{1,80}\.(?:txt|md|json|csv|ts|tsx|js|html|css|py|ya?ml)\b/g,
    ),
    now,
  };
}

/** `userCity`, `user_city` and `USER-CITY` in words: "user city". */
export function toWords(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim()
    .toLowerCase();
}

/** A value that is known by the name, or by its last words: `hotelId` takes "hotel id", or else "id". */
export function fieldFor(name: string, fields: ReadonlyMap<string, unknown>): unknown {
  const words = wordsOf(name);
  for (let from = 0; from < words.length; from += 1) {
    const found = fields.get(words.slice(from).join(' '));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The last words of a name. */
export function wordsOf(name: string): string[] {
  return toWords(name.slice(-200)).split(' ').slice(-mostWords);
}

/** A number beside the name: "3 days", "limit of 5". */
export function numberNear(name: string, request: string): number | undefined {
  for (const word of wordsOf(name).filter((one) => one.length > 2)) {
    const stem = word.replace(/s$/, '');
    const found =
      new RegExp(`(-?\\d{1,15}(?:\\.\\d{1,15})?)\\s{0,9}(?:[\\p{L}]{1,40}\\s)?${stem}s?\\b`, 'iu').exec(
        request,
      ) ??
      new RegExp(
        `\\b${stem}s?\\s{0,9}(?:of|is|to|at|:|=|under|below|up to)?\\s{0,9}(-?\\d{1,15}(?:\\.\\d{1,15})?)`,
        'iu',
      ).exec(request);
    if (found?.[1] !== undefined) return Number(found[1]);
  }
  return undefined;
}

/** True if the request contains the value as a separate word. */
export function mentions(request: string, value: unknown): boolean {
  const text = String(value).trim();
  if (text === '' || typeof value === 'object') return false;
  const words = toWords(text);
  // an operator or another sign has no letters
  if (words === '') return request.split(/\s+/).includes(text);
  return new RegExp(`(?<![\\p{L}\\d])${words}(?![\\p{L}\\d])`, 'iu').test(toWords(request));
}

/** `2026-01-15`. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function readPlaces(text: string): string[] {
  const found = text.matchAll(
    /\b(?:in|to|for|from|at|near|visit|visiting|around|of|and|or|vs\.?)\s+(\p{Lu}[\p{L}'’-]+(?:\s(?:\p{Lu}[\p{L}'’-]+|de|do|la))*)/gu,
  );
  const named = [...found].map((one) => one[1] ?? '').filter((place) => !notPlaces.test(place));
  return [...new Set(named)];
}

function all(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([whole]) => whole))];
}
