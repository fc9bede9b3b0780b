/**
 * Returns a text for a prompt without what a reader does not see: control characters (line breaks and tabs stay), marks
 * that reverse the direction of text, characters without a width, such as soft hyphens, invisible tag characters and
 * variation selectors (those of emoji stay), and HTML tags, whose content stays. Trimmed; the empty text for `null` and
 * `undefined`.
 *
 * It cannot remove instructions in words. A page that shows the text as HTML still has to escape it.
 *
 * @example sanitizeInput(' Tell me <b>all</b>\u0000 '); // 'Tell me all'
 */
export function sanitizeInput(text: string | null | undefined): string {
  return withoutTags(withoutInvisible(text ?? '')).trim();
}

/**
 * Returns a text for people or a log as {@link sanitizeInput} does, with e-mail addresses as `[EMAIL]`, card numbers
 * as `[CARD]` and phone numbers as `[PHONE]`. The numbers are found by their shape: other long numbers can be among
 * them, and unusual ones can be missing.
 *
 * @example sanitizeOutput('Write to ana@example.com'); // 'Write to [EMAIL]'
 */
export function sanitizeOutput(text: string | null | undefined): string {
  return sanitizeInput(text)
    .replaceAll(email, '[EMAIL]')
    .replaceAll(card, '[CARD]')
    .replaceAll(internationalPhone, (number) =>
      number.replaceAll(/\D/g, '').length >= 9 ? '[PHONE]' : number,
    )
    .replaceAll(phone, '[PHONE]');
}

/**
 * Control characters except for line breaks and tabs, marks that change the direction of text, and characters without a
 * width. The joiners stay, because emoji and Persian need them.
 */
// oxlint-disable-next-line no-control-regex -- these are what is removed
const control = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u200B\u202A-\u202E\u2060-\u206F\uFEFF]/g;

/**
 * A flag such as Scotland's, which is written with tag characters; or one tag character, or one of the variation
 * selectors that emoji do not need.
 */
const tagCharacters =
  /(\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{2,6}\u{E007F})|[\u{E0000}-\u{E007F}]|[\u{E0100}-\u{E01EF}]/gu;

function withoutInvisible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(control, '')
    .replaceAll(tagCharacters, (_, flag: string | undefined) => flag ?? '');
}

/**
 * Removes everything from a `<` that begins a tag to the next `>`, in one pass: a tag that only exists once another one
 * is removed (`<<b>script>`) is removed, too.
 */
function withoutTags(text: string): string {
  const kept: string[] = [];
  /** The index in `kept` at which the tag begins. */
  let begin: number | undefined;
  for (const character of text) {
    if (character === '>' && begin !== undefined) {
      kept.length = begin;
      begin = undefined;
      continue;
    }
    if (begin === undefined && kept.at(-1) === '<' && /[a-z/!?]/i.test(character)) begin = kept.length - 1;
    kept.push(character);
  }
  return kept.join('');
}

/** The name part is bounded and begins where no other one does, so that a long word is read once. */
const email =
  /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,63}/g;

/** 16 to 19 digits, four groups of four, or American Express. */
const card = /\b(?:\d{16,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})\b/g;

/** A number of the United Kingdom that begins with 0 or +44 and has spaces, or one of North America. */
const phone =
  /(?:\+44 ?|\b0)\d{2,4} \d{3,4} ?\d{3,4}\b|(?:\+?1[-. ]?)?(?:\(\d{3}\)|\d{3})[-. ]?\d{3}[-. ]?\d{4}(?: *(?:extension|ext|x|#)\.? *\d{1,6})?/gi;

/** A number of another country, which begins with + and has at least nine digits. */
const internationalPhone = /\+(?!1|44)\d{1,3}(?:[-. ]?\d{2,4}){2,5}/g;
