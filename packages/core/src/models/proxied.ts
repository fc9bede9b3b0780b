import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { redact } from '../json/redact.ts';
import { checkBaseUrl } from './base-url.ts';
import { builtInProviders } from './built-in.ts';
import type { Environment } from './environment.ts';
import type { FetchFunction } from './guarded-fetch.ts';
import { type BuiltInProvider, providers } from './providers.ts';
import { readProxyAnswer } from './proxy-error.ts';
import type { ModelProvider, ModelSettings } from './settings.ts';
import { withoutProviderStorage } from './without-provider-storage.ts';

/** Options of {@link proxied}. */
export type ProxiedOptions = {
  /**
   * Headers of every request, for example for authentication, or a function that creates them each time, for example
   * for a token that expires.
   */
  headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  /** Whether to send cookies; `include` sends them to another origin, too. */
  credentials?: 'include' | 'omit' | 'same-origin' | undefined;
  /** Sends the requests. Default: `fetch`. */
  fetch?: FetchFunction | undefined;
};

/** The built-in providers whose calls a proxy can forward. */
export type ProxiedName = Exclude<
  BuiltInProvider,
  'xai' | 'cohere' | 'perplexity' | 'azure' | 'bedrock' | 'vertex' | 'gateway'
>;

/** The names of the built-in providers whose calls a proxy can forward. */
const proxiedProviders: readonly ProxiedName[] = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'groq',
  'deepseek',
  'togetherai',
  'fireworks',
];

/** What errors call the address. */
const source = "proxied's url";

/** The headers in which providers expect their key. */
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key'];

/**
 * Models through a server that has the keys: `openai:gpt-4o` goes to `{url}/openai`, and so on for the other {@link
 * proxiedProviders}. In a page, `url` may be a path; where there is no page, such as in server rendering, a path is an
 * error only when a model is resolved. Nothing is stored at OpenAI, where the calls of all users share an account.
 * Throws `invalid_base_url`; a call throws `unknown_model` if the model's id would lead it to another address.
 *
 * @example
 * const model = await resolveModel('openai:gpt-4o', proxied('/api/models'));
 */
export function proxied(url: string | URL, options: ProxiedOptions = {}): ModelSettings {
  checkNames('proxied', options, ['headers', 'credentials', 'fetch'], 'invalid_options');
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  const text = String(url);
  if (page === undefined && text.startsWith('/')) return { env: {}, providers: pathsRefused(text) };
  const base = checkBaseUrl(absolute(text, page), source);
  const env: Environment = Object.fromEntries(
    proxiedProviders.flatMap((provider) => [
      // a placeholder, which is removed before anything is sent
      [providers[provider].keys[0], 'none'],
      [`${provider.toUpperCase()}_API_BASE`, `${base}/${provider}`],
    ]),
  );
  const fetch = withAppHeaders(base, options);
  return withoutProviderStorage({ env, fetch, providers: refusing });
}

/** The providers for a path where there is no page. */
function pathsRefused(path: string): Readonly<Record<string, ModelProvider>> {
  const refuse: ModelProvider = () => {
    throw new CuelineError(
      'invalid_base_url',
      `${source} is the path "${redact(path).slice(0, 200)}", and a path works only in a page. Start the run in the page, or write a whole address, such as https://example.com/api/models.`,
      { details: { source } },
    );
  };
  return { ...refusing, ...Object.fromEntries(proxiedProviders.map((provider) => [provider, refuse])) };
}

/** Providers that a proxy cannot check, or has no prices for. */
const refusing: Readonly<Record<string, ModelProvider>> = Object.fromEntries(
  builtInProviders
    .filter((provider) => !(proxiedProviders as readonly string[]).includes(provider))
    .map((provider) => [
      provider,
      () => {
        throw new CuelineError(
          'unknown_model',
          `proxied: models of "${provider}" cannot be called through a model proxy, which forwards calls of ` +
            `${proxiedProviders.join(', ')}. Run the prompt on the server instead: createPromptRoute, with viaRoute in the page.`,
          { details: { provider, known: [...proxiedProviders] } },
        );
      },
    ]),
);

function absolute(url: string, page: string | undefined): string {
  return page !== undefined && !URL.canParse(url) && URL.canParse(url, page) ? new URL(url, page).href : url;
}

function withAppHeaders(base: string, { headers, credentials, fetch }: ProxiedOptions): FetchFunction {
  return async (input, init) => {
    checkAddress(input instanceof Request ? input.url : String(input), base);
    const sent = new Headers(init?.headers);
    for (const name of keyHeaders) sent.delete(name);
    for (const [name, value] of Object.entries(await appHeaders(headers))) setHeader(sent, name, value);
    const send: FetchFunction = fetch ?? ((target, settings) => globalThis.fetch(target, settings));
    const response = await send(input, {
      ...init,
      headers: Object.fromEntries(sent),
      ...(credentials === undefined ? {} : { credentials }),
    });
    return readProxyAnswer(response, base);
  };
}

/**
 * Google has the model's id in the path as it was written, so the id must not contain anything that a URL interprets.
 */
function checkAddress(address: string, base: string): void {
  const path = address.startsWith(`${base}/`) ? address.slice(base.length) : '';
  if (/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~:@+-]+)+(?:\?alt=sse)?$/.test(path)) return;
  throw new CuelineError(
    'unknown_model',
    `proxied: ${JSON.stringify(path.slice(0, 200))} is not a path of a provider, so nothing was sent. Write the model's id as its provider does, such as gemini-2.5-flash: without ../, ?, # or %.`,
  );
}

async function appHeaders(headers: ProxiedOptions['headers']): Promise<Readonly<Record<string, string>>> {
  if (typeof headers !== 'function') return headers ?? {};
  try {
    return await headers();
  } catch (error) {
    throw scriptError('proxied: headers', error);
  }
}

function setHeader(sent: Headers, name: string, value: string): void {
  try {
    sent.set(name, value);
  } catch {
    // the error's own text repeats the value, which may be a token
    throw new CuelineError(
      'invalid_options',
      `proxied: header ${JSON.stringify(name)} has a character that HTTP does not allow, such as a line break.`,
    );
  }
}
