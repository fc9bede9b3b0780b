/** The most characters of a name that a client gives. */
export const longestName = 200;

/** True for what a client may call a start or a conversation. Half a pair of Unicode would be any other half in a store. */
export function isName(text: unknown): text is string {
  return (
    typeof text === 'string' && text !== '' && text.length <= longestName && !/\p{Surrogate}/u.test(text)
  );
}
