/**
 * Characters that are invisible or that reorder text: controls, line separators, bidi and zero-width
 * characters, tags. A newline and a tab are visible, and U+FE0E and U+FE0F choose the form of the preceding
 * character.
 */
const unseen = /(?!\n|\t|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/**
 * Text with `\uXXXX` for every hidden character, so that users read what is sent. JSON stays JSON of the same value.
 */
export function visibleText(text: string): string {
  return text.replaceAll(unseen, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** The hidden characters of a text as escapes, each once. A carriage return in a line break is not one. */
export function hiddenIn(text: string): string[] {
  const found = text.replaceAll('\r\n', '\n').match(unseen) ?? [];
  return [...new Set(found)].map(visibleText);
}
