const REDACTED = '[redacted]';

// OpenAI, Anthropic, Perplexity, xAI; Groq; Fireworks, Vercel; Together; Google; AWS.
const keyShapes =
  /\b(?:sk|pk|rk|gsk|xai|pplx)-[\w*.-]{5,}[\w*]|\bgsk_\w+|\b(?:fw|vck)_\w{16,}|\btgp_v1_[\w-]+|\bAIza[\w-]{6,}|\bA[KS]IA[A-Z0-9]{16}\b|\bABSK[\w+/=]{20,}/g;

// shorter literal keys are placeholders ("none", "ollama"), and removing them would damage ordinary words
const shortestSecret = 8;

// A key-like text after these words is a key. The quotes are also those of JSON inside JSON, which has backslashes
// before them, and all signs may be percent-encoded. A key may contain a slash, which some languages escape as `\/`.
const afterWord =
  /((?:\b|%[\da-f]{2})bearer(?:\s+|(?:%20|\+)+)|(?:x-api-key|x-goog-api-key|api[-_]?key|access[-_]?token)(?:\\*["']|%2[27])?(?:\s*[:=]\s*|%3[ad](?:%20|\+)*)(?:\\*["']|%2[27])?)((?:[^\s"',;&[\]\\%]|\\+\/|%(?!2[0267c]|0[ad]|5[bdc]|7d))+)/gi;

/** Returns the text without these literal keys, also as URLs and JSON write them. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  // longest first, so that a key that begins with another key is removed as a whole
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    if (secret.length >= shortestSecret) clean = clean.replaceAll(patternOf(secret), REDACTED);
  }
  return clean;
}

/** Matches a key in plain text, percent-encoded, and in JSON of any depth. Most keys look the same in all three. */
function patternOf(secret: string): string | RegExp {
  if (/^[\w.~-]*$/.test(secret)) return secret;
  const signs = secret.match(/\\+|[^\\]/gu) ?? [];
  const pattern = signs.map((sign, index) => {
    const literal = sign.replaceAll(/[$^*+?.()[\]{}|/]/g, String.raw`\$&`);
    if (/^[\w.~-]$/.test(sign)) return literal;
    // half of a surrogate pair cannot be encoded
    const encoded = encodeURIComponent(sign.replace(/\p{Cs}/u, '\uFFFD'));
    const inUrl = encoded.startsWith('%')
      ? encoded.replaceAll(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`)
      : literal;
    // no open number of backslashes at the beginning or after another: a long run would be searched again and again
    if (sign.startsWith('\\')) return `(?:${index > 0 ? String.raw`\\+` : `\\\\{${sign.length}}`}|${inUrl})`;
    const isAlone = index > 0 && !signs[index - 1]!.startsWith('\\');
    return `(?:${isAlone ? String.raw`\\*` : ''}${literal}|${inUrl})`;
  });
  return new RegExp(pattern.join(''), 'gu');
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

/** Does the same for every string in a plain value, and for the names of members. */
export function redactDeep(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key, secrets), redactDeep(item, secrets)]),
  );
}
