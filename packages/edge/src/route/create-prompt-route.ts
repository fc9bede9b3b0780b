import { withoutProviderStorage, type Environment, type ModelSettings } from '@cueline/core/models';
import { isUnawaited, refusePromises, RUN_HEADER } from '@cueline/core/server';
import { environmentOf, type RouteContext } from '../base/environment.ts';
import {
  corsHeaders,
  isPreflight,
  preflightResponse,
  withRequestHeaders,
  type CorsRules,
} from '../http/cors.ts';
import { createRequestCount } from '../http/count-requests.ts';
import { createIdentify, type Identity } from '../http/identify.ts';
import { createMemoryUse, type MemoryUser } from '../http/memory-use.ts';
import { createOpenBodies } from '../http/open-bodies.ts';
import { checkOrigins } from '../http/origins.ts';
import { readJson } from '../http/read-body.ts';
import { jsonResponse, HttpError, errorResponse, isHttpError } from '../http/respond.ts';
import { answerChat, resumeChat } from './chat.ts';
import { promisedError } from './invalid-options-error.ts';
import type { PromptRouteOptions, RoutePrompt } from './prompt-route-options.ts';
import { isChatPost, readChatPost } from './read-chat-post.ts';
import { readCommand } from './read-command.ts';
import { chatOf, missingRunError, readAfter, runOf } from './read-query.ts';
import { readStart } from './read-start.ts';
import { createDurableRuns } from './runs/durable-runs.ts';
import { createRuns, type ReachedRun, type Runs } from './runs/runs.ts';
import { readSettings } from './settings.ts';
import { chunksResponse, emptyResponse, eventsResponse } from './stream-response.ts';
import { createStreams, type StreamSlot } from './streams.ts';

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
  const route = new Route([definition].flat(), options);
  return (request, env, context) => route.handle(request, env, context);
}

/** The runs of a route behind its requests: one method for each kind of request. */
class Route {
  readonly #options: PromptRouteOptions;
  readonly #settings;
  readonly #cors;
  readonly #requesterOf;
  readonly #identify;
  readonly #runs: Runs;
  readonly #requests;
  readonly #readWithinLimit;
  readonly #memory;
  readonly #streams;
  readonly #modelsFor: (env: Environment) => ModelSettings;

  constructor(definitions: readonly RoutePrompt[], options: PromptRouteOptions) {
    this.#options = options;
    this.#settings = readSettings(definitions, options);
    this.#cors = withRequestHeaders(knownCors, options);
    this.#requesterOf = checkOrigins(options.origins, options.development);
    this.#identify = createIdentify(options, (error) => this.#settings.report({ type: 'failed', error }));
    this.#runs =
      options.durable === undefined
        ? createRuns(this.#settings)
        : createDurableRuns(this.#settings, options.durable);
    this.#requests = createRequestCount(this.#settings.requests);
    this.#readWithinLimit = createOpenBodies(this.#settings.streams);
    this.#memory = createMemoryUse(this.#settings.memoryBytes);
    this.#streams = createStreams({
      ...this.#settings,
      leaseMs: this.#settings.runMs + this.#settings.replayMs,
    });
    const { models = (env: Environment) => ({ env }) } = options;
    const shared = typeof models === 'function' ? undefined : withoutProviderStorage(models);
    this.#modelsFor = (env) => {
      const settings = typeof models === 'function' ? models(env) : models;
      if (isUnawaited(settings)) throw promisedError('models', '(env) => ({ env })');
      refusePromises('What models returned', settings);
      return shared ?? withoutProviderStorage(settings);
    };
  }

  async handle(request: Request, env?: unknown, context?: RouteContext): Promise<Response> {
    let headers: Record<string, string> = {};
    try {
      const requester = this.#requesterOf(request);
      if (isPreflight(request)) return preflightResponse(requester, this.#cors);
      headers = corsHeaders(requester, this.#cors);
      const { method } = request;
      if (!METHODS.some((known) => known === method)) {
        headers['allow'] = METHODS.join(', ');
        throw new HttpError('method_not_allowed', `Send ${METHODS.join(', ')}.`);
      }
      const identity = await this.#identify(request, requester);
      this.#requests.count(identity.subject);
      const response = await this.#answer({
        request,
        url: new URL(request.url),
        identity,
        env: environmentOf(env, context),
        ...(context === undefined ? {} : { context }),
      });
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return response;
    } catch (error) {
      const response = errorResponse(error, headers);
      const { method } = request;
      if (isHttpError(error)) {
        this.#settings.report({ type: 'refused', code: error.code, status: error.status, method });
      } else this.#settings.report({ type: 'failed', error });
      return response;
    }
  }

  /** Returns a response that counts as one of its subject's streams until it ends. */
  async #inStreamSlot(
    subject: string,
    runId: string | undefined,
    make: (slot: StreamSlot) => Promise<Response>,
  ): Promise<Response> {
    const slot = this.#streams.enter(subject, runId);
    try {
      const response = await make(slot);
      if (response.body === null) slot.leave();
      return response;
    } catch (error) {
      slot.leave();
      throw error;
    }
  }

  async #sendCommand(runId: string, { request, identity }: Call, { take }: MemoryUser): Promise<Response> {
    const bytes = Math.min(this.#settings.commandBytes, this.#settings.bodyBytes);
    const body = await this.#readWithinLimit(identity.subject, () => readJson(request, { bytes, take }));
    const command = readCommand(body);
    const run = await this.#runs.reach(runId, identity.subject);
    return jsonResponse(200, await run.send(command), { [RUN_HEADER]: run.runId });
  }

  async #start({ request, identity, env, context }: Call, user: MemoryUser): Promise<Response> {
    const { subject } = identity;
    const body = await this.#readWithinLimit(subject, () =>
      readJson(request, { bytes: this.#settings.bodyBytes, take: user.take }),
    );
    const reach = (runId: string): Promise<ReachedRun | undefined> => this.#runs.find(runId, subject);
    const start = await readStart(this.#settings, body, subject, request, reach);
    const waitUntil =
      context?.waitUntil === undefined ? this.#options.waitUntil : context.waitUntil.bind(context);
    const startRequest = { identity, models: this.#modelsFor(env), waitUntil, user };
    return this.#inStreamSlot(subject, undefined, async (slot) => {
      if (!isChatPost(body)) {
        const run = await this.#runs.begin({ ...startRequest, start });
        if (request.signal.aborted && start.key === undefined) {
          // the client does not know its id, and nothing else finds it
          await run.stop();
          throw new HttpError(
            'client_closed',
            'The client was gone before the run was named, so it was stopped.',
          );
        }
        slot.runId = run.runId;
        return eventsResponse(run.events(-1), run.runId, slot);
      }
      const post = readChatPost(body, start);
      const latest = await this.#runs.latest(post.chatId, subject);
      const { commandBytes } = this.#settings;
      const answer = await answerChat(post, latest, { user, commandBytes }, (start, after) =>
        this.#runs.begin({ ...startRequest, start, chat: { id: post.chatId, after } }),
      );
      slot.runId = answer.runId;
      // the chunks contain what the client has sent, too
      return chunksResponse(answer, { ...slot, leave: callBoth(user.retain(), slot.leave) });
    });
  }

  async #resume({ request, url, identity: { subject } }: Call, user: MemoryUser): Promise<Response> {
    const runId = runOf(url);
    if (runId !== undefined) {
      const afterSeq = readAfter(request, url);
      const run = await this.#runs.reach(runId, subject);
      // an EventSource reconnects after the end of a run until it gets a 204
      if (run.endSeq !== undefined && afterSeq >= run.endSeq) return emptyResponse();
      return this.#inStreamSlot(subject, runId, async (slot) =>
        eventsResponse(run.events(afterSeq), runId, slot),
      );
    }
    const chatId = chatOf(url);
    if (chatId === undefined) throw missingRunError('GET');
    const latest = await this.#runs.latest(chatId, subject);
    const [any] = this.#settings.definitions.values();
    if (latest === undefined || any === undefined) return emptyResponse();
    return this.#inStreamSlot(subject, latest.runId, async (slot) => {
      const answer = await resumeChat(any, chatId, latest, user);
      if (answer === null) return emptyResponse();
      return chunksResponse(answer, { ...slot, leave: callBoth(user.retain(), slot.leave) });
    });
  }

  async #stop({ url, identity }: Call): Promise<Response> {
    const runId = runOf(url);
    const chatId = chatOf(url);
    if (runId !== undefined) await (await this.#runs.reach(runId, identity.subject)).stop();
    else if (chatId !== undefined) await (await this.#runs.latest(chatId, identity.subject))?.stop();
    else throw missingRunError('DELETE');
    return emptyResponse();
  }

  async #answer(call: Call): Promise<Response> {
    const runId = runOf(call.url);
    const { subject } = call.identity;
    switch (call.request.method) {
      case 'POST':
        return this.#memory.during(subject, (user) =>
          runId === undefined ? this.#start(call, user) : this.#sendCommand(runId, call, user),
        );
      case 'GET':
        return this.#memory.during(subject, (user) => this.#resume(call, user));
      default:
        return this.#stop(call);
    }
  }
}

function callBoth(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}
