import { HttpError } from '../http/respond.ts';
import type { Api } from './api.ts';

/** A path of a provider, and the format that belongs to it. */
export type PathRule = { path: string; api: Api };

/** The provider, the rule and the model that a path names. */
export type PathTarget<Provider> = {
  provider: Provider;
  rule: PathRule;
  /** The model named in the path; one of the list. */
  model: string | undefined;
};

type MatchedProvider = { paths: readonly PathRule[]; models: readonly string[] };

const modelMark = '{model}';
const streaming = ':streamGenerateContent';

/**
 * Finds the target of a request's URL by exact comparison: nothing is decoded, and no additional dot or slash is
 * ignored. Throws an HttpError with 404; 403 for a model that is not in the list; 400 for a query.
 */
export function matchPath<Provider extends MatchedProvider>(
  requestUrl: string,
  basePath: string,
  providers: ReadonlyMap<string, Provider>,
): PathTarget<Provider> {
  const { origin, pathname, search } = new URL(requestUrl);
  // A URL that the parser had to correct (dots, backslashes) was not written by our client.
  // Our client sends no fragment either; a forged Host header can add one to hide the real path.
  if (
    !(requestUrl === origin + pathname + search || requestUrl === `${origin}${pathname}?`) ||
    !pathname.startsWith(`${basePath}/`)
  )
    throw unknownPathError();
  const rest = pathname.slice(basePath.length + 1);
  const slash = rest.indexOf('/');
  const provider = slash === -1 ? undefined : providers.get(rest.slice(0, slash));
  if (provider === undefined)
    throw new HttpError('unknown_provider', 'This server has no such provider. Ask its operator to add it.');
  const path = rest.slice(slash);
  for (const rule of provider.paths) {
    const found = matchRule(path, rule.path);
    if (found === undefined) continue;
    const model = found === '' ? undefined : found;
    if (model !== undefined && !provider.models.includes(model)) throw modelDeniedError();
    if (search !== '' && !(rule.path.endsWith(streaming) && search === '?alt=sse')) {
      throw new HttpError('invalid_query', 'Leave off everything from the ? on.');
    }
    return { provider, rule, model };
  }
  throw unknownPathError();
}

/** The model that the path names, '' if the pattern has none, undefined if the path does not match. */
function matchRule(path: string, pattern: string): string | undefined {
  const mark = pattern.indexOf(modelMark);
  if (mark === -1) return path === pattern ? '' : undefined;
  const [before, behind] = [pattern.slice(0, mark), pattern.slice(mark + modelMark.length)];
  if (!path.startsWith(before) || !path.endsWith(behind)) return undefined;
  const model = path.slice(before.length, path.length - behind.length);
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(model) ? model : undefined;
}

/** 403 for a model that is not in a provider's list. */
export function modelDeniedError(): HttpError {
  return new HttpError('model_denied', 'This server does not offer this model. Ask its operator to add it.');
}

function unknownPathError(): HttpError {
  return new HttpError(
    'unknown_path',
    'There is nothing at this path. Send POST …/<provider>/<path of its API>.',
  );
}
