const longest = 600;

/**
 * The provider's own words, out of the error shapes that APIs use: `{ error: { message } }`, `{ error: 'text' }`,
 * `{ message }`, `{ detail }`, Google's one-element array, Responses' `{ response: { error } }`, or plain text.
 */
export function providerMessage(value: unknown): string | undefined {
  if (typeof value === 'string') return fromText(value);
  if (Array.isArray(value)) return value.length > 0 ? providerMessage(value[0]) : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const { error, message, detail, response, errors } = value as Record<string, unknown>;
  // An Error's own message is read by its owner: here are only payloads.
  for (const candidate of [error, response, message, detail, errors]) {
    const found = candidate === undefined || candidate === null ? undefined : providerMessage(candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fromText(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || /^<(!doctype|html|\?xml)/i.test(trimmed)) return undefined;
  if (/^[[{]/.test(trimmed)) {
    try {
      return providerMessage(JSON.parse(trimmed));
    } catch {
      // Not JSON after all: plain text that begins with a bracket.
    }
  }
  return trimmed.length > longest ? `${trimmed.slice(0, longest)}…` : trimmed;
}
