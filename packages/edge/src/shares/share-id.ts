/** 128 random bits in base64url: nobody comes upon the share of another. */
export function newShareId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** True for what {@link newShareId} can have made; nothing else is ever asked of a storage. */
export function isShareId(text: string): boolean {
  return /^[\w-]{21}[AQgw]$/.test(text);
}
