/** The longest text of prompts or an eval in a link, in characters. */
export const MAX_LINKED_TEXT_LENGTH = 200_000;
