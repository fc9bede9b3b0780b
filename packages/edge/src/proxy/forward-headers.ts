import { redactKey } from './redact.ts';

const dimensions = ['requests', 'tokens'];
const facts = ['limit', 'remaining', 'reset'];

/** The provider's headers that a caller gets, and that a page may read. */
export const forwardedHeaders: readonly string[] = [
  'retry-after',
  'retry-after-ms',
  'x-request-id',
  'request-id',
  ...dimensions.flatMap((of) => facts.map((fact) => `x-ratelimit-${fact}-${of}`)),
  ...[...dimensions, 'input-tokens', 'output-tokens'].flatMap((of) =>
    facts.map((fact) => `anthropic-ratelimit-${of}-${fact}`),
  ),
];

/** Those headers of a provider's answer, and no others. */
export function forwardHeaders(headers: Headers, key: string): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of forwardedHeaders) {
    const value = headers.get(name);
    if (value !== null && /^[\x20-\x7e]{1,200}$/.test(value)) passed[name] = redactKey(value, key);
  }
  return passed;
}
