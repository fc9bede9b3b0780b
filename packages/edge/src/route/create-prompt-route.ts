import { withoutProviderStorage, type Environment, type ModelSettings } from '@cueline/core/models';
import { createRequestCount } from '../http/count-requests.ts';
import {
  corsHeaders,
  isPreflight,
  preflightResponse,
  withRequestHeaders,
  type CorsRules,
} from '../http/cors.ts';
import { environmentOf } from '../environment.ts';
import { createIdentify, type Identity } from '../http/identify.ts';
import { createOpenBodies } from '../http/open-bodies.ts';
import { checkOrigins } from '../http/origins.ts';
import { readJson } from '../http/read-body.ts';
import { jsonResponse, Refusal, refusalResponse } from '../http/respond.ts';
import { answerChat, resumeChat } from './chat.ts';
import { isChatPost, readChatPost } from './read-chat-post.ts';
import { createMemoryUse, type MemoryUser } from './usage/memory-use.ts';
import type { PromptRouteOptions, RoutePrompt } from './prompt-route-options.ts';
import { readCommand } from './read-command.ts';
import { readStart } from './read-start.ts';
import { chatOf, noRun, readAfter, runOf } from './read-query.ts';
import { createRuns, type ReachedRun } from './runs/runs.ts';
import { readSettings } from './settings.ts';
import { chunksResponse, emptyResponse, eventsResponse, RUN_HEADER } from './stream-response.ts';
import { createStreams, type StreamSlot } from './streams.ts';

/** The third argument that platforms such as Workers pass. */
export type RouteContext = { waitUntil?: (work: Promise<void>) => void };

/**
 * A route as a server calls it: with a request, and on some platforms with its environment and context. The second
 * argument of frameworks, such as the parameters of a path, is not read.
 */
export type PromptRoute = (request: Request, env?: unknown, context?: RouteContext) => Promise<Response>;

const METHODS = ['GET', 'POST', 'DELETE'] as const;
const knownCors: CorsRules = {
  methods: METHODS,
  requestHeaders: ['authorization', 'content-type', 'last-event-id', 'user-agent', 'x-api-key'],
  expose: [RUN_HEADER, 'retry-after', 'retry-after-ms', 'x-vercel-ai-ui-message-stream'],
};

/** One request with its identity. */
type Call = { request: Request; url: URL; identity: Identity; env: Environment; context?: RouteContext };

/**
 * Creates a route that runs prompts for clients: those of `viaRoute`, and the AI SDK's `useChat`. A run continues
 * without its client, can be followed, stopped and answered from any instance that shares the store, and belongs to
 * its subject alone.
 * @throws CuelineError `invalid_options`, also for a prompt with input and no schema for it
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
  definition: RoutePrompt | readonly RoutePrompt[],
  options: PromptRouteOptions,
): PromptRoute {
  const settings = readSettings([definition].flat(), options);
  const cors = withRequestHeaders(knownCors, options);
  const askerOf = checkOrigins(options.origins, options.development);
  const identify = createIdentify(options, (error) => settings.report({ type: 'failed', error }));
  const runs = createRuns(settings);
  const requests = createRequestCount(settings.requests);
  const readWithinLimit = createOpenBodies(settings.streams);
  const memory = createMemoryUse(settings.memoryBytes);
  const streams = createStreams({ ...settings, leaseMs: settings.runMs + settings.replayMs });
  const { models } = options;
  const shared = typeof models === 'function' ? undefined : withoutProviderStorage(models);

  function modelsFor(env: Environment): ModelSettings {
    return shared ?? withoutProviderStorage(typeof models === 'function' ? models(env) : models);
  }

  /** Returns a response that counts as one of its subject's streams until it ends. */
  async function inPlace(
    subject: string,
    runId: string | undefined,
    make: (leave: () => void, place: StreamSlot) => Promise<Response>,
  ): Promise<Response> {
    const place = streams.enter(subject, runId);
    try {
      const response = await make(() => place.leave(), place);
      if (response.body === null) place.leave();
      return response;
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  async function tell(runId: string, { request, identity }: Call): Promise<Response> {
    const bytes = Math.min(settings.commandBytes, settings.bodyBytes);
    const body = await readWithinLimit(identity.subject, () => readJson(request, { bytes }));
    const command = readCommand(body);
    const run = await runs.reach(runId, identity.subject);
    return jsonResponse(200, await run.send(command), { [RUN_HEADER]: run.runId });
  }

  async function start({ request, identity, env, context }: Call, user: MemoryUser): Promise<Response> {
    const { subject } = identity;
    const body = await readWithinLimit(subject, () =>
      readJson(request, { bytes: settings.bodyBytes, take: user.take }),
    );
    const reach = (runId: string): Promise<ReachedRun | undefined> => runs.find(runId, subject);
    const start = await readStart(settings, body, subject, request, reach);
    const waitUntil = context?.waitUntil === undefined ? options.waitUntil : context.waitUntil.bind(context);
    const beginning = { identity, models: modelsFor(env), waitUntil, user };
    return inPlace(subject, undefined, async (leave, place) => {
      if (!isChatPost(body)) {
        const run = await runs.begin({ ...beginning, start });
        place.runId = run.runId;
        return eventsResponse(run.events(-1), run.runId, leave);
      }
      const post = readChatPost(body, start);
      const latest = await runs.latest(post.chatId, subject);
      const answer = await answerChat(post, latest, user, (start, after) =>
        runs.begin({ ...beginning, start, chat: { id: post.chatId, after } }),
      );
      place.runId = answer.runId;
      // the chunks contain what the client has sent, too
      return chunksResponse(answer, both(user.retain(), leave));
    });
  }

  async function resume({ request, url, identity: { subject } }: Call, user: MemoryUser): Promise<Response> {
    const runId = runOf(url);
    if (runId !== undefined) {
      const afterSeq = readAfter(request, url);
      const run = await runs.reach(runId, subject);
      // an EventSource reconnects after the end of a run until it is told that there is nothing
      if (run.endSeq !== undefined && afterSeq >= run.endSeq) return emptyResponse();
      return inPlace(subject, runId, async (leave) => eventsResponse(run.events(afterSeq), runId, leave));
    }
    const chatId = chatOf(url);
    if (chatId === undefined) throw noRun('GET');
    const latest = await runs.latest(chatId, subject);
    const [any] = settings.definitions.values();
    if (latest === undefined || any === undefined) return emptyResponse();
    return inPlace(subject, latest.runId, async (leave) => {
      const answer = await resumeChat(any, chatId, latest, user);
      return answer === null ? emptyResponse() : chunksResponse(answer, both(user.retain(), leave));
    });
  }

  async function stop({ url, identity }: Call): Promise<Response> {
    const runId = runOf(url);
    const chatId = chatOf(url);
    if (runId !== undefined) await (await runs.reach(runId, identity.subject)).stop();
    else if (chatId !== undefined) await (await runs.latest(chatId, identity.subject))?.stop();
    else throw noRun('DELETE');
    return emptyResponse();
  }

  async function answer(call: Call): Promise<Response> {
    const runId = runOf(call.url);
    const { subject } = call.identity;
    switch (call.request.method) {
      case 'POST':
        return runId === undefined ? memory.during(subject, (user) => start(call, user)) : tell(runId, call);
      case 'GET':
        return memory.during(subject, (user) => resume(call, user));
      default:
        return stop(call);
    }
  }

  return async (request, env, context) => {
    let headers: Record<string, string> = {};
    try {
      const requester = askerOf(request);
      if (isPreflight(request)) return preflightResponse(requester, cors);
      headers = corsHeaders(requester, cors);
      const { method } = request;
      if (!METHODS.some((known) => known === method)) {
        headers['allow'] = METHODS.join(', ');
        throw new Refusal('method_not_allowed', `Send ${METHODS.join(', ')}.`);
      }
      const identity = await identify(request, requester);
      requests.count(identity.subject);
      const response = await answer({
        request,
        url: new URL(request.url),
        identity,
        env: environmentOf(env),
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

function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}
