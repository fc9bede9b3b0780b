import { withTimeout } from '../base/with-timeout.ts';
import { corsHeaders, type CorsRules, isPreflight, preflightResponse } from '../http/cors.ts';
import { readBody } from '../http/read-body.ts';
import { answerHeaders, jsonResponse, HttpError, errorResponse, isHttpError } from '../http/respond.ts';
import { countShare } from './count-share.ts';
import { DELETE_KEY_HEADER, newDeleteKey, ownerOf } from './delete-key.ts';
import { readShare } from './read-share.ts';
import { isShareId, newShareId } from './share-id.ts';
import { readShareSettings, type ShareSettings } from './share-settings.ts';
import type { ShareStoreOptions } from './share-store-options.ts';

const rules: CorsRules = {
  methods: ['GET', 'POST', 'DELETE'],
  requestHeaders: ['authorization', 'content-type', DELETE_KEY_HEADER],
  expose: ['retry-after', 'retry-after-ms'],
};

/** On every answer: its content is never a page, nor part of one. */
const inertHeaders = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/**
 * Keeps scripts, runs, prompts and evaluations that are too long for a link, each under an id that cannot be
 * guessed. `POST {basePath}` with the output of `encodeLink`, without its `#`, answers 201 with `{ id,
 * expiresAt, deleteKey }`; `GET {basePath}/{id}` returns it to anyone who has the id; `DELETE {basePath}/{id}`
 * with the header `x-delete-key` deletes it; `GET {basePath}` answers `{ bodyBytes, lifetimeMs }`. Shares
 * cannot be listed or changed.
 *
 * @example
 * const shares = createShareStore({
 *   storage: createRedisShares(client),
 *   origins: ['https://play.example'],
 *   auth: 'none',
 *   address: (request) => request.headers.get('cf-connecting-ip') ?? '',
 * });
 */
export function createShareStore(options: ShareStoreOptions): (request: Request) => Promise<Response> {
  const settings = readShareSettings(options);
  return async (request) => {
    const known: { headers: Record<string, string>; subject?: string } = { headers: {} };
    let response: Response;
    try {
      response = await answer(settings, request, known);
    } catch (error) {
      response = errorResponse(error, known.headers);
      const { method } = request;
      const { subject } = known;
      if (isHttpError(error)) {
        const { status, code } = error;
        const about = subject === undefined ? {} : { subject };
        settings.report({ type: 'refused', status, code, method, ...about });
      } else settings.report({ type: 'failed', error });
    }
    for (const [name, value] of Object.entries(inertHeaders)) response.headers.set(name, value);
    return response;
  };
}

async function answer(
  settings: ShareSettings,
  request: Request,
  known: { headers: Record<string, string>; subject?: string },
): Promise<Response> {
  const requester = settings.requesterOf(request);
  known.headers = corsHeaders(requester, rules);
  const id = idOf(request.url, settings.basePath);
  if (isPreflight(request)) return preflightResponse(requester, rules);
  const { method } = request;
  if (id !== '' && (method === 'GET' || method === 'DELETE')) await settings.countRead(request);
  if (method === 'GET')
    return id === '' ? publicLimits(settings, known.headers) : open(settings, id, known.headers);
  if (id !== '' && method === 'DELETE') return remove(settings, id, request, known.headers);
  if (id !== '' || method !== 'POST') {
    known.headers['allow'] = id === '' ? 'GET, POST, OPTIONS' : 'GET, DELETE, OPTIONS';
    throw new HttpError('method_not_allowed', 'A share can be opened and deleted. It cannot be changed.');
  }
  const identity = await settings.identify(request, requester);
  known.subject = identity.subject;
  if (request.headers.get('content-type') !== 'application/octet-stream') {
    throw new HttpError(
      'unsupported_media_type',
      'Send the share with content-type: application/octet-stream.',
    );
  }
  const { limits, limitStore } = settings;
  const onFailure = (error: unknown): void => settings.report({ type: 'failed', error });
  return countShare(limitStore, limits, identity.subject, onFailure, async (spend) => {
    const body = readShare(await readBody(request, { bytes: limits.bodyBytes }));
    const kept = await put(settings, body);
    spend(body.byteLength);
    settings.report({
      type: 'put',
      subject: identity.subject,
      bytes: body.byteLength,
      expiresAt: kept.expiresAt,
    });
    return jsonResponse(201, kept, known.headers);
  });
}

/** The id in an address, '' for the store's own. The address is compared as it is written, and never decoded. */
function idOf(url: string, basePath: string): string {
  const { pathname } = new URL(url);
  if (pathname === basePath) return '';
  const id = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length + 1) : '';
  // another path counts as an unknown id: the caller learns nothing from the difference
  return id === '' ? '?' : id;
}

/** The limits that a client should know before it shares something. */
function publicLimits({ limits }: ShareSettings, headers: Record<string, string>): Response {
  const { bodyBytes, lifetimeMs } = limits;
  return jsonResponse(200, { bodyBytes, lifetimeMs }, headers);
}

async function open(
  { storage, report }: ShareSettings,
  id: string,
  headers: Record<string, string>,
): Promise<Response> {
  const body = isShareId(id) ? await ask(report, () => storage.get(id)) : undefined;
  report({ type: 'get', found: body !== undefined, bytes: body?.byteLength ?? 0 });
  if (body === undefined) {
    throw new HttpError('unknown_share', 'There is no share here, or it has expired. Ask for it again.');
  }
  return new Response(body.slice(), {
    headers: {
      ...answerHeaders,
      ...headers,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="share.cueline"',
    },
  });
}

/** With a wrong key, the answer is the same as for a missing share. */
async function remove(
  { storage, report }: ShareSettings,
  id: string,
  request: Request,
  headers: Record<string, string>,
): Promise<Response> {
  const deleteKey = request.headers.get(DELETE_KEY_HEADER) ?? '';
  const isPossible = isShareId(id) && isShareId(deleteKey);
  const owner = await ownerOf(deleteKey);
  if (!isPossible || !(await ask(report, () => storage.remove(id, owner)))) {
    throw new HttpError('unknown_share', 'There is no share with this id and this x-delete-key.');
  }
  report({ type: 'delete' });
  return new Response(null, { status: 204, headers: { ...answerHeaders, ...headers } });
}

async function put(
  { storage, limits, now, report }: ShareSettings,
  body: Uint8Array,
): Promise<{ id: string; expiresAt: number; deleteKey: string }> {
  const id = newShareId();
  const deleteKey = newDeleteKey();
  const owner = await ownerOf(deleteKey);
  const expiresAt = now() + limits.lifetimeMs;
  const isKept = await ask(
    report,
    () => storage.put(id, { body, expiresAt, owner }),
    // the client gets no key with which it could delete what is stored too late
    async (late) => void (late && (await storage.remove(id, owner))),
  );
  // 128 random bits never collide: if they do, the storage is faulty
  if (!isKept) throw unavailableError();
  return { id, expiresAt, deleteKey };
}

/** Returns the storage's answer. `onLate` gets an answer that comes after the timeout. */
async function ask<Value>(
  report: ShareSettings['report'],
  question: () => Promise<Value>,
  onLate?: (answer: Value) => Promise<void>,
): Promise<Value> {
  const answer = (async () => question())();
  try {
    return await withTimeout(answer);
  } catch (error) {
    answer.then(onLate).catch(() => {});
    report({ type: 'failed', error });
    throw unavailableError();
  }
}

function unavailableError(): HttpError {
  return new HttpError('unavailable', 'Shares cannot be reached at the moment. Try again in a while.');
}
