/** The maximum size of one tool result or error for the model and the log, in bytes of UTF-8. */
export const MAX_TEXT_BYTES: number = 256 * 1024;

/** Returns the text, or as much of its beginning as fits into `bytes` of UTF-8, with a note of the whole length. */
export function capText(text: string, bytes: number = MAX_TEXT_BYTES, advice: string = ''): string {
  // a character has at most three bytes, so most texts need no counting
  if (text.length * 3 <= bytes) return text;
  const encoder = new TextEncoder();
  const written = new Uint8Array(bytes);
  if (encoder.encodeInto(text, written).read === text.length) return text;
  const note = `\n\n[Cut off: the whole was ${text.length} characters long${advice}]`;
  // the note is ASCII, and encodeInto never splits a character
  const room = encoder.encodeInto(text, written.subarray(0, Math.max(0, bytes - note.length))).written;
  // not text.slice(), which would keep the whole text in memory
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(written.subarray(0, room)) + note;
}
