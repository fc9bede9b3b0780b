import { CuelineError } from '../base/errors.ts';
import { redact } from '../json/redact.ts';

/**
 * Returns a base URL to which paths such as `/chat/completions` can be appended, without a slash at its end. `source`
 * names where it was set. Throws `invalid_base_url`.
 */
export function checkBaseUrl(value: string, source: string): string {
  const refuse = (reason: string, advice: string): CuelineError =>
    new CuelineError('invalid_base_url', `${source} ${reason}. ${advice}`, { details: { source } });
  const example = 'Type an address such as https://api.example.com/v1 or http://localhost:11434/v1.';
  const text = value.trim();
  if (!URL.canParse(text)) {
    throw refuse(`is not a URL: "${redact(text).slice(0, 200)}"`, example);
  }
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    // "localhost:11434/v1" parses as a URL whose scheme is "localhost".
    throw refuse(`must begin with http:// or https://, not ${url.protocol}`, example);
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('must not contain a name or password', 'Put the key into its own setting.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw refuse('must not contain ? or #', 'Leave off everything from there on.');
  }
  const endpoint = /\/(chat\/completions|completions|responses|messages)\/*$/.exec(url.pathname)?.[1];
  if (endpoint !== undefined) {
    throw refuse(`must not end in /${endpoint}`, 'Leave that part off: the client adds it.');
  }
  return text.replace(/\/+$/, '');
}

/** True if the URL's host is this machine. */
export function isLoopback(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]';
}
