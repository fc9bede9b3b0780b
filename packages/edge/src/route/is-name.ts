/** The maximum length of a client's names, in characters. */
const maxNameLength = 200;

/**
 * True for a valid name of a start or a conversation. Half a surrogate pair would be equal to any other half in a
 * store, and Postgres takes no U+0000.
 */
export function isName(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text !== '' &&
    text.length <= maxNameLength &&
    !text.includes('\0') &&
    !/\p{Surrogate}/u.test(text)
  );
}

/** Returns what is wrong with a text that is not a name. */
export function invalidNameText(what: string): string {
  return `${what} is not a string of 1 to ${maxNameLength} characters, without U+0000 and without halves of surrogate pairs.`;
}
