/** 128 random bits in base64url, so that a client cannot guess the id of another client's share. */
export function newShareId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** True for a text that {@link newShareId} can have made; a storage is never asked for anything else. */
export function isShareId(text: string): boolean {
  return /^[\w-]{21}[AQgw]$/.test(text);
}
