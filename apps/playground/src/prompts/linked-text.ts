/** The longest text of prompts or an eval in a link, in characters. */
export const LONGEST_LINKED_TEXT = 200_000;
