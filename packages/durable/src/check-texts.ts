import { CuelineError } from '@cueline/core';

/**
 * Refuses texts that not every store keeps: Postgres takes no U+0000, and half of a surrogate pair becomes equal to any other
 * half.
 * @throws CuelineError `invalid_input`
 */
export function checkTexts(texts: Readonly<Record<string, unknown>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text !== 'string' || !(text.includes('\0') || /\p{Surrogate}/u.test(text))) continue;
    throw new CuelineError(
      'invalid_input',
      `${name} contains U+0000 or half of a surrogate pair, and stores cannot keep it: ${JSON.stringify(text.slice(0, 100))}. Leave the character out.`,
    );
  }
}
