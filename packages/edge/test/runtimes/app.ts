import { definePrompt } from '@cueline/core';
import {
  createMemoryLimits,
  createModelProxy,
  createPromptRoute,
  type Authenticate,
  type LimitStore,
  type ModelProxyOptions,
  type PromptRouteOptions,
  type ProxyEvent,
  type RouteContext,
} from '@cueline/edge';
// by name: of a namespace, esbuild runs what a module does at its top before zod has begun
import { z } from 'zod';
import { readJson } from '../../src/http/read-body.ts';
import { errorResponse } from '../../src/http/respond.ts';

/**
 * The app's variables: addresses of the test's own servers, and a key. Workers pass them, others have them in the
 * process.
 */
export type AppEnvironment = {
  /** Of the provider, such as `http://127.0.0.1:4000`. */
  UPSTREAM: string;
  /** An address without a server. */
  NOWHERE: string;
  OPENAI_API_BASE: string;
  OPENAI_API_KEY: string;
  /** Durable Objects, which only Workers have. */
  OBJECT?: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
};

type Handler = (request: Request, env?: object, context?: RouteContext) => Promise<Response>;

const origins = ['https://play.example'];

/** `Bearer ada/500` is ada, who may use 500 tokens a day. */
const auth: Authenticate = ({ headers }) => {
  const [, subject, tokens] = /^Bearer (\w+)(?:\/(\d+))?$/.exec(headers.get('authorization') ?? '') ?? [];
  if (subject === undefined) return null;
  return { subject, ...(tokens === undefined ? {} : { dailyTokens: Number(tokens) }) };
};

const letter = z.object({ to: z.string() });
const greet = definePrompt(
  'greet',
  (prompt, input) => {
    prompt.defTool('send', 'Sends', letter, ({ to }) => `sent to ${to}`, { effect: 'external' });
    prompt.$`Greet ${input.name}.`;
  },
  { input: z.object({ name: z.string() }) },
);
const talk = definePrompt('talk', (prompt) => {
  prompt.$`Talk.`;
});

/** Everything that is tried on a runtime, each under the first segment of its path. */
function mount({ UPSTREAM, NOWHERE }: AppEnvironment): Handlers {
  const events: ProxyEvent[] = [];
  const handlers = new Map<string, Handler>();

  function proxy(name: string, options: Partial<ModelProxyOptions> = {}): void {
    const handler = createModelProxy({
      basePath: `/${name}`,
      providers: {
        openai: { models: ['gpt-x'], baseURL: `${UPSTREAM}/v1` },
        nowhere: { models: ['gpt-x'], baseURL: NOWHERE, apiKey: (env) => env['OPENAI_API_KEY'] },
        keyless: { models: ['gpt-x'], baseURL: UPSTREAM, apiKey: (env) => env['NO_SUCH_KEY'] },
      },
      origins,
      auth,
      onEvent: (event) => events.push(event),
      ...options,
      limits: { rpm: 1_000, concurrent: 100, dailyTokens: 1e9, ...options.limits },
    });
    handlers.set(name, handler);
  }

  proxy('normal', { limits: { responseBytes: 1e9 } });
  proxy('short', { timeouts: { ttfbMs: 300, idleMs: 300 } });
  proxy('brief', { timeouts: { totalMs: 400 } });
  proxy('small', { limits: { bodyBytes: 2_000, responseBytes: 3_000, eventBytes: 1_000 } });
  proxy('rare', { limits: { rpm: 1 } });
  proxy('single', { limits: { concurrent: 1 } });
  proxy('down', { store: broken });
  proxy('remote', { store: remoteLimits(UPSTREAM), limits: { concurrent: 1 } });
  const route = {
    origins,
    auth,
    model: 'openai:gpt-x',
    models: (env) => ({ env }),
  } satisfies PromptRouteOptions;
  handlers.set(
    'greet',
    createPromptRoute(greet, { ...route, options: { approval: true }, limits: { rpm: 1_000 } }),
  );
  handlers.set('talk', createPromptRoute(talk, { ...route, limits: { rpm: 1_000 } }));
  handlers.set('route-down', createPromptRoute(talk, { ...route, limitStore: broken }));
  handlers.set('route-rare', createPromptRoute(talk, { ...route, limits: { rpm: 1 } }));
  handlers.set('route-small', createPromptRoute(talk, { ...route, limits: { bodyBytes: 2_000 } }));
  handlers.set(
    'route-broken',
    createPromptRoute(talk, {
      ...route,
      accept: () => {
        throw new TypeError('sk-secret of the server');
      },
    }),
  );
  handlers.set('body', async (request) => {
    try {
      return Response.json(await readJson(request, { bytes: 2_000, timeoutMs: 300 }));
    } catch (error) {
      return errorResponse(error);
    }
  });
  handlers.set('events', async () => Response.json(events.splice(0)));
  return handlers;
}

const broken: LimitStore = {
  reserve: () => Promise.reject(new Error('The store is down.')),
  adjust: () => Promise.reject(new Error('The store is down.')),
  settle: () => Promise.reject(new Error('The store is down.')),
};

/** Limits behind a connection, as those of every server of more than one instance are. */
function remoteLimits(address: string): LimitStore {
  const inner = createMemoryLimits();
  const told = async (what: string): Promise<void> => {
    await (await fetch(`${address}/limits/${what}`)).text();
  };
  return {
    ...inner,
    reserve: async (call) => {
      await told(`reserve/${call.subject}`);
      return inner.reserve(call);
    },
    settle: async (call) => {
      await told(`settle/${call.subject}`);
      await inner.settle(call);
    },
  };
}

type Handlers = ReadonlyMap<string, Handler>;

async function answer(
  handlers: Handlers,
  request: Request,
  env?: object,
  context?: RouteContext,
): Promise<Response> {
  const [, name = ''] = new URL(request.url).pathname.split('/');
  const handler = handlers.get(name);
  return handler === undefined
    ? new Response('No such handler.', { status: 404 })
    : handler(request, env, context);
}

let handlers: Handlers | undefined;

/** The app that every runtime serves. What is under `/object`, a Durable Object answers where there is one. */
export default {
  async fetch(request: Request, env?: object, context?: RouteContext): Promise<Response> {
    const variables = (env !== undefined && 'UPSTREAM' in env ? env : process.env) as AppEnvironment;
    const { pathname, search, origin } = new URL(request.url);
    if (variables.OBJECT !== undefined && pathname.startsWith('/object/')) {
      const url = origin + pathname.slice('/object'.length) + search;
      const object = variables.OBJECT.get(variables.OBJECT.idFromName('all'));
      return object.fetch(new Request(url, request));
    }
    handlers ??= mount(variables);
    return answer(handlers, request, env, context);
  },
};

/** The same app as one Durable Object, which all requests meet, wherever they come in. */
export class AppObject {
  readonly #env: AppEnvironment;
  readonly #handlers: Handlers;

  constructor(_state: unknown, env: AppEnvironment) {
    this.#env = env;
    this.#handlers = mount(env);
  }

  fetch(request: Request): Promise<Response> {
    return answer(this.#handlers, request, this.#env);
  }
}
