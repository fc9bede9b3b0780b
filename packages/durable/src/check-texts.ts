import { CuelineError } from '@cueline/core';

/**
 * Refuses texts that some stores cannot keep: Postgres rejects U+0000, and UTF-8 turns every half of a surrogate pair
 * into the same character.
 * @throws CuelineError `invalid_input`
 */
export function checkTexts(texts: Readonly<Record<string, unknown>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text !== 'string' || !(text.includes('\0') || /\p{Surrogate}/u.test(text))) continue;
    throw new CuelineError(
      'invalid_input',
      `${name} contains U+0000 or half of a surrogate pair, which stores cannot keep: ${JSON.stringify(text.slice(0, 100))}. Remove the character.`,
    );
  }
}
