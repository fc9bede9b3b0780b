import { CuelineError } from '@cueline/core';
import type { Environment } from '@cueline/core/models';
import type { Identity } from '../http/identify.ts';
import { HttpError } from '../http/respond.ts';
import type { CheckedProvider } from './check-options.ts';
import type { PathRule } from './match-path.ts';

/** A request that passed all checks, without its body: while the answer is forwarded, nothing needs that any more. */
export type Call = {
  request: Request;
  env: Environment;
  identity: Identity;
  provider: CheckedProvider;
  rule: PathRule;
  model: string;
  /** True if the answer is to be a stream of events. */
  stream: boolean;
  /** Headers that the answer gets in addition to the provider's. */
  headers: Record<string, string>;
  startedAt: number;
};

/**
 * Returns the provider's key. Throws an HttpError with 503 if it is missing, or has a character that headers cannot
 * have. `onMistake` then gets what the operator has to change.
 */
export function providerKey({ provider, env }: Call, onMistake: (error: CuelineError) => void): string {
  let key: string | undefined;
  let mistake = unusableKeyError(provider);
  try {
    key = provider.key(env);
  } catch (error) {
    // the text of any other error may contain a key
    if (CuelineError.isInstance(error)) mistake = error;
  }
  // The error about a character that no header may have would quote the key.
  if (key === undefined || !/^[\x21-\x7e]+$/.test(key)) {
    onMistake(mistake);
    throw new HttpError(
      'unavailable',
      'This server has no key for this provider. Its operator has to set one.',
    );
  }
  return key;
}

function unusableKeyError({ name, keyVariables }: CheckedProvider): CuelineError {
  return new CuelineError(
    'missing_key',
    keyVariables.length === 0
      ? `createModelProxy: providers.${name}.apiKey gave no key that can be sent: it is missing, too short or more than one word, or the function threw. Return the provider's key.`
      : `createModelProxy has no key for ${name}. Set ${keyVariables.join(' or ')} where the proxy runs. On Workers, pass the environment and the context to the proxy, too.`,
  );
}

/** The headers of the call, built from nothing: of the caller's headers, only those that the format allows. */
export function requestHeaders({ request, rule, stream }: Call, key: string): Record<string, string> {
  const { passedHeader } = rule.api;
  const header = passedHeader === undefined ? null : request.headers.get(passedHeader.name);
  const passed = header === null ? undefined : passedHeader?.read(header);
  return {
    accept: stream ? 'text/event-stream' : 'application/json',
    // a compressed answer may unpack to any size
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'user-agent': 'cueline-edge',
    ...rule.api.authorize(key),
    ...(passedHeader === undefined || passed === undefined ? {} : { [passedHeader.name]: passed }),
  };
}

/** The URL of the call: the caller wrote no part of it. */
export function upstreamUrl({ provider, rule, model }: Call): string {
  // Google streams JSON unless it is asked for events.
  const query = rule.path.endsWith(':streamGenerateContent') ? '?alt=sse' : '';
  return provider.baseURL + rule.path.replace('{model}', () => model) + query;
}
