/** The maximum length of a client's names, in characters. */
export const maxNameLength = 200;

/**
 * True for a valid name of a start or a conversation. Half a surrogate pair would be equal to any other half in a
 * store.
 */
export function isName(text: unknown): text is string {
  return (
    typeof text === 'string' && text !== '' && text.length <= maxNameLength && !/\p{Surrogate}/u.test(text)
  );
}
