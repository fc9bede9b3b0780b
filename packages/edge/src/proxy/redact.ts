const hidden = '[redacted]';

// OpenAI, Anthropic, Perplexity, xAI; Groq; Fireworks, Vercel; Together; Google; AWS.
const keyShapes =
  /\b(?:sk|pk|rk|gsk|xai|pplx)-[\w*.-]{5,}[\w*]|\bgsk_\w+|\b(?:fw|vck)_\w{16,}|\btgp_v1_[\w-]+|\bAIza[\w-]{6,}|\bA[KS]IA[A-Z0-9]{16}\b|\bABSK[\w+/=]{20,}/g;

/** The fewest characters of a secret key. A shorter value is not a key, but a word such as `none`. */
export const shortestKey = 8;

/**
 * The text without this key. A value that is shorter than a key is not removed, since it would cut words out of
 * answers.
 */
export function redactKey(text: string, key: string): string {
  return hasKey(text, key) ? text.replaceAll(key, hidden) : text;
}

/** Whether this key is in the text. */
export function hasKey(text: string, key: string): boolean {
  return key.length >= shortestKey && text.includes(key);
}

/** A provider's error text without the key, what looks like a key, and the name of the account. */
export function redactError(text: string, key: string): string {
  return redactKey(text, key)
    .replace(keyShapes, hidden)
    .replace(/\b(?:org|proj|organization|project)[-_][A-Za-z0-9]{8,}/g, hidden)
    .replace(/(\bbearer\s+|api[-_]?key["']?\s*[:=]\s*["']?|[?&]key=)([^\s"',;&]{8,})/gi, `$1${hidden}`);
}
