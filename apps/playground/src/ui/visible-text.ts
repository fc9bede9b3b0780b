/** Scripts in which a joiner between two letters changes their form. */
const joinedScripts = 'Arab Syrc Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr'
  .split(' ')
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const emoji = String.raw`\p{Extended_Pictographic}`;
const visible = [
  // the latter two choose the form of the preceding character
  String.raw`[\n\t\ufe0e\ufe0f]`,
  String.raw`(?<=${emoji}[\p{Emoji_Modifier}\ufe0f]?)\u200d(?=${emoji})`,
  String.raw`(?<=[${joinedScripts}])[\u200c\u200d](?=[${joinedScripts}])`,
];
const invisible = String.raw`[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]`;
/**
 * Characters that are invisible or that reorder text: controls, line separators, bidi and zero-width characters, tags. A
 * newline and a tab are visible, and so is a joiner that joins emoji, or letters of a script that needs it.
 */
const unseen = new RegExp(String.raw`(?=${invisible})(?!${visible.join('|')})[^]`, 'gu');

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
