/** How much of one tool's result or error the model and the log get, in bytes of UTF-8. */
export const MAX_TEXT_BYTES: number = 256 * 1024;

/** The text, or as much of its beginning as fits into `bytes` of UTF-8 with a note that says how long the whole was. */
export function capText(text: string, bytes: number = MAX_TEXT_BYTES, advice: string = ''): string {
  // a character is at most three bytes, so most texts need no counting
  if (text.length * 3 <= bytes) return text;
  const encoder = new TextEncoder();
  const written = new Uint8Array(bytes);
  if (encoder.encodeInto(text, written).read === text.length) return text;
  const note = `\n\n[Cut off: the whole was ${text.length} characters long${advice}]`;
  // the note is ASCII, and encodeInto stops between two characters, never inside one
  const room = encoder.encodeInto(text, written.subarray(0, Math.max(0, bytes - note.length))).written;
  // not text.slice(), which would keep the whole text in memory
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(written.subarray(0, room)) + note;
}
