import { inProcess, type Executor, type PromptDefinition, type RunEvent } from '@cueline/core';
import type { Environment } from '@cueline/core/models';
import { toEventStream } from '@cueline/core/server';
import { corsHeaders, isPreflight, preflightResponse, withRequestHeaders, type CorsRules } from '../cors.ts';
import { createIdentify, type Identity } from '../identify.ts';
import { checkOrigins } from '../origins.ts';
import { readJson } from '../read-body.ts';
import { answerHeaders, jsonResponse, Refusal, refusalResponse } from '../respond.ts';
import { answerChat, isChatPost, readChatPost, resumeChat, type ChatAnswer } from './chat.ts';
import { toChunkStream } from './chunk-stream.ts';
import { peek } from './peek.ts';
import { keepNothing } from './keep-nothing.ts';
import type { PromptRouteOptions } from './prompt-route-options.ts';
import { readCommand } from './read-command.ts';
import { readStart } from './read-start.ts';
import { createRuns } from './runs.ts';
import { readSettings } from './settings.ts';

/** What platforms such as Workers pass as the third argument. */
export type RouteContext = { waitUntil?: (work: Promise<void>) => void };

/** A route as servers call it: with a request, and on some platforms with its environment and context. */
export type PromptRoute = (request: Request, env?: Environment, context?: RouteContext) => Promise<Response>;

/** Header with the id of the run that an answer is about. */
const RUN_HEADER = 'x-cueline-run';
/** How long a client that comes back may wait to hear whether anything is left to come, in milliseconds. */
const PEEK_MS = 500;
const METHODS = ['GET', 'POST', 'DELETE'] as const;
const knownCors: CorsRules = {
  methods: METHODS,
  requestHeaders: ['authorization', 'content-type', 'last-event-id', 'user-agent', 'x-api-key'],
  expose: [RUN_HEADER, 'retry-after', 'retry-after-ms', 'x-vercel-ai-ui-message-stream'],
};

/** What one request is about. */
type Call = { request: Request; url: URL; identity: Identity; env?: Environment; context?: RouteContext };

/**
 * Runs prompts for clients: those of `viaRoute`, and the AI SDK's `useChat` as it is. A run goes on when its client goes
 * away, can be taken up, stopped and answered from any instance that shares the store, and belongs to its subject alone.
 *
 * @example
 * const route = createPromptRoute(planDay, {
 *   model: 'openai:gpt-4o',
 *   origins: ['https://play.example'],
 *   auth: async (request) => sessionOf(request.headers.get('cookie')),
 * });
 * export default { fetch: route };
 */
export function createPromptRoute(
  definition: PromptDefinition<never> | readonly PromptDefinition<never>[],
  options: PromptRouteOptions,
): PromptRoute {
  const settings = readSettings([definition].flat(), options);
  const cors = withRequestHeaders(knownCors, options);
  const askerOf = checkOrigins(options.origins, options.development);
  const identify = createIdentify({ auth: options.auth, address: options.address });
  const runs = createRuns(settings);
  const { models } = options;
  const shared = typeof models === 'function' ? undefined : inProcess(keepNothing(models));

  function executorFor(env: Environment | undefined): Executor {
    return shared ?? inProcess(keepNothing(typeof models === 'function' ? models(env ?? {}) : models));
  }

  async function start({ request, identity, env, context, url }: Call): Promise<Response> {
    const body = await readJson(request, { bytes: settings.bodyBytes });
    const runId = url.searchParams.get('run');
    if (runId !== null) {
      const run = await runs.reach(runId, identity.subject);
      return jsonResponse(200, await run.send(readCommand(body)), { [RUN_HEADER]: run.runId });
    }
    const start = await readStart(settings, body, identity.subject, request);
    const waitUntil = context?.waitUntil === undefined ? options.waitUntil : context.waitUntil.bind(context);
    const beginning = { identity, executor: executorFor(env), waitUntil };
    if (!isChatPost(body)) {
      const run = await runs.begin({ ...beginning, start });
      return eventsResponse(run.events(-1), run.runId);
    }
    const post = readChatPost(body, start);
    const latest = await runs.latest(post.chatId, identity.subject);
    const answer = await answerChat(post, latest, (start, after) =>
      runs.begin({ ...beginning, start, chat: { id: post.chatId, after } }),
    );
    return chunksResponse(answer);
  }

  async function resume({ request, url, identity }: Call): Promise<Response> {
    const runId = url.searchParams.get('run');
    if (runId !== null) {
      const afterSeq = readAfter(request, url);
      const run = await runs.reach(runId, identity.subject);
      const all = run.events(afterSeq);
      // an EventSource comes back after the end of a run, too, until it is told that there is nothing
      const events = afterSeq < 0 ? all : await peek(all, PEEK_MS);
      return events === undefined ? emptyResponse() : eventsResponse(events, run.runId);
    }
    const chatId = chatOf(url);
    if (chatId === undefined) throw noRun('GET');
    const latest = await runs.latest(chatId, identity.subject);
    const [any] = settings.definitions.values();
    const answer = latest && any && (await resumeChat(any, chatId, latest));
    return answer ? chunksResponse(answer) : emptyResponse();
  }

  async function stop({ url, identity }: Call): Promise<Response> {
    const runId = url.searchParams.get('run');
    const chatId = chatOf(url);
    if (runId !== null) await (await runs.reach(runId, identity.subject)).stop();
    else if (chatId !== undefined) await (await runs.latest(chatId, identity.subject))?.stop();
    else throw noRun('DELETE');
    return emptyResponse();
  }

  async function answer(call: Call): Promise<Response> {
    switch (call.request.method) {
      case 'POST':
        return start(call);
      case 'GET':
        return resume(call);
      default:
        return stop(call);
    }
  }

  return async (request, env, context) => {
    let headers: Record<string, string> = {};
    try {
      const asker = askerOf(request);
      if (isPreflight(request)) return preflightResponse(asker, cors);
      headers = corsHeaders(asker, cors);
      const { method } = request;
      if (!METHODS.some((known) => known === method)) {
        headers['allow'] = METHODS.join(', ');
        throw new Refusal('method_not_allowed', `Send ${METHODS.join(', ')}.`);
      }
      const identity = await identify(request, asker);
      const response = await answer({
        request,
        url: new URL(request.url),
        identity,
        ...(env === undefined ? {} : { env }),
        ...(context === undefined ? {} : { context }),
      });
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return response;
    } catch (error) {
      const response = refusalResponse(error, headers);
      const { method } = request;
      if (error instanceof Refusal) {
        settings.report({ type: 'refused', code: error.code, status: error.status, method });
      } else settings.report({ type: 'failed', error });
      return response;
    }
  };
}

function eventsResponse(events: AsyncIterable<RunEvent>, runId: string): Response {
  return streamResponse(toEventStream(events), { [RUN_HEADER]: runId });
}

function chunksResponse({ chunks, runId, leave }: ChatAnswer): Response {
  return streamResponse(toChunkStream(chunks, leave), {
    'x-vercel-ai-ui-message-stream': 'v1',
    ...(runId === undefined ? {} : { [RUN_HEADER]: runId }),
  });
}

function streamResponse(body: ReadableStream<Uint8Array>, headers: Record<string, string>): Response {
  const type = { 'content-type': 'text/event-stream; charset=utf-8' };
  return new Response(body, { headers: { ...answerHeaders, ...type, ...headers } });
}

function emptyResponse(): Response {
  return new Response(null, { status: 204, headers: answerHeaders });
}

/** The number of the last event that a client has; -1 where it has none. */
function readAfter(request: Request, url: URL): number {
  const text = request.headers.get('last-event-id') ?? url.searchParams.get('after') ?? '';
  if (text === '') return -1;
  if (!/^(-1|\d{1,15})$/.test(text)) {
    throw new Refusal('invalid_query', "Last-Event-ID, or after, is no event's number.");
  }
  return Number(text);
}

/** The conversation of an address that the AI SDK's client makes to come back: `…/{chatId}/stream`. */
function chatOf(url: URL): string | undefined {
  const [, id] = /\/([^/]+)\/stream$/.exec(url.pathname) ?? [];
  if (id === undefined) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    throw new Refusal('invalid_query', 'The address is not well-formed.');
  }
}

function noRun(method: string): Refusal {
  return new Refusal('invalid_query', `Say which run: ${method} …?run=<id>.`);
}
