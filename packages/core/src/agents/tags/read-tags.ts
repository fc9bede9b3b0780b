/** The occurrences of one tag in a text. */
export type FoundTag = {
  /** The content of each complete occurrence, in order and trimmed. */
  values: string[];
  /** True if one is opened and not closed. */
  opened: boolean;
  /** True if one is closed that was not opened. */
  closed: boolean;
};

/** A tag while the text is read: the starts of open occurrences, and the complete ones. */
type Reading = { open: number[]; whole: { start: number; end: number }[]; closed: boolean };

/** A `<name …>`, `</name>` or `<name/>` in the text. */
type Mark = { name: string; kind: 'open' | 'close' | 'empty'; start: number; end: number };

/**
 * Finds tags by name in any text. Ignores attributes, spaces and case. A tag inside one of the same name is part of
 * its text; a mere mention without an end does not count. Takes linear time for any text.
 */
export function readTags(text: string, names: readonly string[]): Map<string, FoundTag> {
  const readings = new Map<string, Reading>();
  for (const name of names) readings.set(name.toLowerCase(), { open: [], whole: [], closed: false });
  for (const mark of marksIn(text)) {
    const reading = readings.get(mark.name);
    if (reading !== undefined) note(reading, mark);
  }
  return new Map(
    names.map((name) => {
      const { open, whole, closed } = readings.get(name.toLowerCase())!;
      const values = whole.map(({ start, end }) => text.slice(start, end).trim());
      return [name, { values, opened: open.length > 0, closed }];
    }),
  );
}

function note(reading: Reading, mark: Mark): void {
  const { open, whole } = reading;
  if (mark.kind === 'open') open.push(mark.end);
  else if (mark.kind === 'empty') whole.push({ start: mark.end, end: mark.end });
  else {
    const start = open.pop();
    if (start === undefined) {
      reading.closed = true;
      return;
    }
    // occurrences inside it are part of its text
    while ((whole.at(-1)?.start ?? -1) >= start) whole.pop();
    whole.push({ start, end: mark.start });
  }
}

/** Yields everything in the text that reads as a tag. */
function* marksIn(text: string): Generator<Mark> {
  for (let start = text.indexOf('<'); start !== -1; start = text.indexOf('<', start + 1)) {
    const mark = markAt(text, start);
    if (mark !== undefined) yield mark;
  }
}

/** Longer than any possible name. */
const NAME = /\s{0,16}(\/?)\s{0,16}([A-Za-z_][\w.-]{0,63})(?=[\s/>])/y;

function markAt(text: string, start: number): Mark | undefined {
  NAME.lastIndex = start + 1;
  const match = NAME.exec(text);
  if (match === null) return undefined;
  const close = endOfTag(text, NAME.lastIndex);
  if (close === undefined) return undefined;
  const kind = match[1] === '/' ? 'close' : text[close - 1] === '/' ? 'empty' : 'open';
  return { name: match[2]!.toLowerCase(), kind, start, end: close + 1 };
}

/**
 * Returns the index of the tag's `>`: outside of quoted values, and before the next `<`, so that no character is read
 * twice.
 */
function endOfTag(text: string, from: number): number | undefined {
  let quote: string | undefined;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '<') return undefined;
    if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return undefined;
}
