/** Scripts in which a joiner between two letters changes their form. */
const joinedScripts = 'Arab Syrc Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr'
  .split(' ')
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const emoji = String.raw`\p{Extended_Pictographic}`;
/** The flags of England, Scotland and Wales, whose names are written with tags. */
const flags = ['gbeng', 'gbsct', 'gbwls'].map((name) => `${name}\u007f`.replaceAll(/[^]/g, toTag)).join('|');
const visible = [
  // the latter two choose the form of the preceding character
  String.raw`[\n\t\ufe0e\ufe0f]|\r(?=\n)`,
  String.raw`(?<=${emoji}[\p{Emoji_Modifier}\ufe0f]?)\u200d(?=${emoji})`,
  String.raw`(?<=\u{1f3f4}(?=${flags})[^]{0,5})[\u{e0061}-\u{e007f}]`,
  String.raw`(?<=[${joinedScripts}])[\u200c\u200d](?=[${joinedScripts}])`,
];
const invisible = String.raw`[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]`;
/**
 * Characters that are invisible or that reorder text: controls, line separators, bidi and zero-width characters,
 * tags. A line break and a tab are visible, and so are a joiner that joins emoji, or letters of a script that needs
 * it, and the tags of a flag.
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

/** The hidden characters of a text as escapes, each once. */
export function hiddenIn(text: string): string[] {
  return [...new Set(text.match(unseen))].map(visibleText);
}

/** The tag that stands for an ASCII character. */
function toTag(character: string): string {
  return String.fromCodePoint(0xe0000 + character.charCodeAt(0));
}
