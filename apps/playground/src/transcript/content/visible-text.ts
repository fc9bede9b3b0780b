/**
 * Characters that cannot be seen or that change the order of what is: controls, line separators, bidi and zero-width
 * characters, tags. A newline and a tab show themselves, and U+FE0E and U+FE0F choose how the sign before them looks.
 */
const unseen = /(?!\n|\t|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/**
 * Text with `\uXXXX` in place of every character that hides in it, so that what is read is what is sent. JSON stays
 * JSON of the same value.
 */
export function visibleText(text: string): string {
  return text.replaceAll(unseen, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
