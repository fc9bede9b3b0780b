const encoder = new TextEncoder();
/** For texts of this length, in characters, the encoder is faster, although it makes the bytes. */
const LONG = 500;

/** Returns the number of bytes of a text in UTF-8, as `TextEncoder` writes it. */
export function utf8Length(text: string): number {
  if (text.length >= LONG) return encoder.encode(text).byteLength;
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // half of a pair counts two of the four bytes; a lone half becomes a replacement character of three
    bytes += unit < 0x800 || isPaired(text, at, unit) ? 1 : 2;
  }
  return bytes;
}

function isPaired(text: string, at: number, unit: number): boolean {
  if (unit >= 0xd800 && unit < 0xdc00) return (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
  return unit >= 0xdc00 && unit < 0xe000 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
