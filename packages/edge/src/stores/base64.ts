/** Bytes as text, for a storage that keeps text. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  // in pieces, because a call takes a limited number of arguments
  for (let from = 0; from < bytes.length; from += 8_192) {
    text += String.fromCharCode(...bytes.subarray(from, from + 8_192));
  }
  return btoa(text);
}

/** The bytes that {@link toBase64} was given. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
