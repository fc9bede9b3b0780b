import type { Environment } from '@cueline/core/models';
import { environmentOf, type RouteContext } from '../base/environment.ts';
import {
  corsHeaders,
  type CorsRules,
  isPreflight,
  preflightResponse,
  withRequestHeaders,
} from '../http/cors.ts';
import type { MemoryUser } from '../http/memory-use.ts';
import { readJson } from '../http/read-body.ts';
import { HttpError, errorResponse, isHttpError } from '../http/respond.ts';
import { isSwitchedOff, switchedOff } from '../limits/kill-switch.ts';
import type { CheckedBody } from './api.ts';
import { checkOptions, type CheckedProvider, type ProxySettings } from './check-options.ts';
import { forwardedHeaders } from './forward-headers.ts';
import { makeCall } from './make-call.ts';
import { matchPath, modelDeniedError, type PathTarget } from './match-path.ts';
import { createMedia, type Media } from './media.ts';
import type { ModelProxyOptions } from './options.ts';
import type { ProxyEvent } from './proxy-event.ts';

const ownRules: CorsRules = {
  methods: ['POST'],
  requestHeaders: [
    'authorization',
    'content-type',
    'user-agent',
    'x-api-key',
    'anthropic-version',
    'anthropic-beta',
    'anthropic-dangerous-direct-browser-access',
    'x-goog-api-key',
  ],
  expose: forwardedHeaders,
};

/**
 * A proxy to model providers. The keys stay on the server, which decides who may call which model, and how much per
 * day. The address, the headers and the length of a call never come from the client, and the proxy retries nothing.
 * Throws `invalid_options` or `invalid_base_url` for options that make no sense.
 *
 * @example
 * const proxy = createModelProxy({
 *   providers: { openai: { models: ['gpt-4o-mini'] } },
 *   origins: ['https://play.example'],
 *   auth: async (request) => userOf(request), // { subject } or null
 * });
 * // in the page: resolveModel('openai:gpt-4o-mini', proxied('https://play.example/api/models'))
 */
export function createModelProxy(
  options: ModelProxyOptions,
): (request: Request, env?: unknown, context?: RouteContext) => Promise<Response> {
  const settings = checkOptions(options);
  const rules = withRequestHeaders(ownRules, options);
  return async (request, env, context) => {
    const known: { headers: Record<string, string>; provider?: string; subject?: string } = { headers: {} };
    let sent = false;
    try {
      return await answer(
        settings,
        rules,
        request,
        environmentOf(env, context),
        context,
        known,
        () => (sent = true),
      );
    } catch (error) {
      const response = errorResponse(error, known.headers, 'proxy_error');
      if (response.status === 405) response.headers.set('allow', 'POST, OPTIONS');
      if (!isHttpError(error)) settings.onEvent({ type: 'failed', error });
      const { provider, subject } = known;
      if (!sent) {
        settings.onEvent({
          type: 'refused',
          status: response.status,
          code: isHttpError(error) ? error.code : 'internal',
          ...(provider === undefined ? {} : { provider }),
          ...(subject === undefined ? {} : { subject }),
        });
      }
      return response;
    }
  };
}

async function answer(
  settings: ProxySettings,
  rules: CorsRules,
  request: Request,
  env: Environment,
  context: RouteContext | undefined,
  known: { headers: Record<string, string>; provider?: string; subject?: string },
  onCall: () => void,
): Promise<Response> {
  const startedAt = settings.now();
  const { providers, basePath } = settings;
  const requester = settings.requesterOf(request);
  known.headers = corsHeaders(requester, rules);
  // for every path: a page of another origin could not read why its request is refused
  if (isPreflight(request)) return preflightResponse(requester, rules);
  const target = matchPath(request.url, basePath, providers);
  const { provider, rule } = target;
  known.provider = provider.name;
  if (request.method !== 'POST') throw new HttpError('method_not_allowed', 'Only POST is allowed here.');
  const identity = await settings.identify(request, requester);
  known.subject = identity.subject;
  // before the body is read: a refused request costs time, too, and is counted nowhere else
  settings.requests.count(identity.subject);
  if (await isSwitchedOff(settings.killSwitch, (error) => settings.onEvent({ type: 'failed', error }))) {
    throw new HttpError('unavailable', switchedOff);
  }
  let settled = (): void => {};
  const onEvent = (event: ProxyEvent): void => {
    if (event.type === 'call') onCall();
    settings.onEvent(event);
    if (event.type === 'end') settled();
  };
  const { headers } = known;
  // until the answer begins: by then the provider has the body
  return settings.memory.during(identity.subject, async ({ take }) => {
    const { model, media, checked } = await readCall(settings, request, identity.subject, target, take);
    const { stream } = checked;
    // Workers stop the work of a caller who disconnected; its reservation would then be held until its lease is over.
    context?.waitUntil?.(new Promise((resolve) => (settled = resolve)));
    try {
      return await makeCall(
        { ...settings, onEvent },
        { request, env, identity, provider, rule, model, stream, headers, startedAt },
        checked,
        media,
      );
    } catch (error) {
      settled();
      throw error;
    }
  });
}

/** Reads the body of a call, and checks it. Throws an HttpError. */
async function readCall(
  { limits, readWithinLimit }: ProxySettings,
  request: Request,
  subject: string,
  { provider, rule, model: named }: PathTarget<CheckedProvider>,
  take: MemoryUser['take'],
): Promise<{ model: string; media: Media; checked: CheckedBody }> {
  const body = await readWithinLimit(subject, () => readJson(request, { bytes: limits.bodyBytes, take }));
  const model = named ?? body['model'];
  if (typeof model !== 'string') throw new HttpError('invalid_body', 'model is not a string.');
  if (!provider.models.includes(model)) throw modelDeniedError();
  const media = createMedia(provider.contextTokens);
  const { maxOutputTokens } = limits;
  const fields = new Set(provider.fields ?? rule.api.fields);
  return { model, media, checked: rule.api.check(body, { model, maxOutputTokens, fields, media }) };
}
