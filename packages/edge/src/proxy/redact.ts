const hidden = '[redacted]';

/** The text without this key. */
export function hideKey(text: string, key: string): string {
  return key === '' ? text : text.replaceAll(key, hidden);
}

/** A provider's error text without the key, what looks like a key, and the name of the account. */
export function redactError(text: string, key: string): string {
  return hideKey(text, key)
    .replace(/\b(?:sk|pk|rk|gsk|xai)-[\w*.-]{5,}[\w*]|\bgsk_\w+|\bAIza[\w-]{6,}/g, hidden)
    .replace(/\b(?:org|proj|organization|project)[-_][A-Za-z0-9]{8,}/g, hidden)
    .replace(/(\bbearer\s+|api[-_]?key["']?\s*[:=]\s*["']?|[?&]key=)([^\s"',;&]{8,})/gi, `$1${hidden}`);
}
