const REDACTED = '[redacted]';

// OpenAI, Anthropic, Perplexity, xAI; Groq; Fireworks, Vercel; Together; Google; AWS.
const keyShapes =
  /\b(?:sk|pk|rk|gsk|xai|pplx)-[\w*.-]{5,}[\w*]|\bgsk_\w+|\b(?:fw|vck)_\w{16,}|\btgp_v1_[\w-]+|\bAIza[\w-]{6,}|\bA[KS]IA[A-Z0-9]{16}\b|\bABSK[\w+/=]{20,}/g;

// shorter literal keys are placeholders ("none", "ollama"), and removing them would damage ordinary words
const shortestSecret = 8;

// a key-like text after these words is a key
const afterWord =
  /(\bbearer\s+|(?:x-api-key|x-goog-api-key|api[-_]?key|access[-_]?token)["']?\s*[:=]\s*["']?)([^\s"',;&[\]]+)/gi;

/** Returns the text without these literal keys. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  // longest first, so that a key that begins with another key is removed as a whole
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    if (secret.length >= shortestSecret) clean = clean.replaceAll(secret, REDACTED);
  }
  return clean;
}

/**
 * Returns the text without keys: the given ones, and texts that look like one (`sk-…`, `Bearer …`, `x-api-key: …`,
 * `AIza…`).
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  return redactSecrets(text, secrets)
    .replace(afterWord, (whole, before: string, value: string) =>
      isKeyLike(value) ? before + REDACTED : whole,
    )
    .replace(/([?&]key=)[^\s"'&]+/gi, `$1${REDACTED}`)
    .replace(keyShapes, REDACTED);
}

/** False for the words of a sentence, such as "Bearer token is missing". */
function isKeyLike(value: string): boolean {
  return /\d/.test(value) || value.length >= 20;
}

/** Does the same for every string in a plain value. */
export function redactDeep(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item, secrets)]));
}
