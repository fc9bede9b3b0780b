import { Refusal } from '../http/respond.ts';
import type { Call } from './make-call.ts';

/** The provider's key. Throws a Refusal with 503 where there is none that a header can carry. */
export function providerKey({ provider, env }: Call): string {
  let key: string | undefined;
  try {
    key = provider.key(env);
  } catch {
    // whatever it says, it may say it of a key
  }
  // A character that no header may have would end up, with the rest of the key, in the error about it.
  if (key === undefined || !/^[\x21-\x7e]+$/.test(key)) {
    throw new Refusal(
      'unavailable',
      'This server has no key for this provider. Whoever runs it has to set one.',
    );
  }
  return key;
}

/** The headers of the call, built from nothing: of the caller's, only what the format lets through. */
export function requestHeaders({ request, rule, checked }: Call, key: string): Record<string, string> {
  const { passedHeader } = rule.api;
  const given = passedHeader === undefined ? null : request.headers.get(passedHeader.name);
  const passed = given === null ? undefined : passedHeader?.read(given);
  return {
    accept: checked.stream ? 'text/event-stream' : 'application/json',
    // what is packed can be unpacked to any size
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'user-agent': 'cueline-edge',
    ...rule.api.authorize(key),
    ...(passedHeader === undefined || passed === undefined ? {} : { [passedHeader.name]: passed }),
  };
}

/** Where the call goes: nothing of it was written by the caller. */
export function upstreamUrl({ provider, rule, model }: Call): string {
  // Google streams JSON unless it is asked for events.
  const query = rule.path.endsWith(':streamGenerateContent') ? '?alt=sse' : '';
  return provider.baseURL + rule.path.replace('{model}', () => model) + query;
}
