import type { Durable } from '@cueline/durable';
import {
  createMemoryLimits,
  createModelProxy,
  createPromptRoute,
  type LimitStore,
  type PromptRouteOptions,
  type RouteContext,
} from '@cueline/edge';
import { DAY_LIMITS, report, RUN_LIMITS, TOTAL_DAILY_TOKENS } from './limits.ts';
import { prompts } from './prompts.ts';
import { servePage, type Assets } from './serve-page.ts';
import { createSessions } from './sessions.ts';

type Answering = { fetch(request: Request): Promise<Response> };

/** The values that the platform sets: variables, secrets, and the files of the built page. */
export type WorkerEnvironment = {
  ASSETS: Assets;
  /** The origins of the page, separated by commas: `https://desk.example`. */
  ORIGINS: string;
  /** Signs the sessions. Any long random text; anyone who knows it can impersonate any session. */
  SESSION_SECRET: string;
  /** The namespace of the sessions' Durable Objects. Without it, the worker itself answers every request. */
  SESSIONS?: { idFromName(name: string): unknown; get(id: unknown): Answering } | undefined;
  /** The caller's IP address. Default: `cf-connecting-ip`, which Cloudflare sets and a client cannot. */
  ADDRESS?: ((request: Request) => string) | undefined;
  /** `1`: cookies are `Secure` for every address, for a proxy that passes on `Host: localhost`. */
  SECURE_COOKIES?: string | undefined;
  /** Where the runs of the route are stored and continued. Without it, they end with their process. */
  DURABLE?: Durable | undefined;
  /** Counts calls and runs. Stored runs and their workers share it. Default: the memory of this worker. */
  LIMITS?: LimitStore | undefined;
  OPENAI_API_KEY: string;
  /** Another address of OpenAI's Responses API. */
  OPENAI_API_BASE?: string | undefined;
  /** The id of the model. */
  CUELINE_MODEL?: string | undefined;
};

/** The whole server: the page, the proxy to its model, and its prompts as routes. */
export type App = (request: Request, context?: RouteContext) => Promise<Response>;

const smallModel = 'gpt-5.4-mini';

/** Creates the server. The key is read from `env` at each call, and no answer contains it. */
export function createApp({ ASSETS: assets, SESSIONS: objects, ...env }: WorkerEnvironment): App {
  const id = env.CUELINE_MODEL ?? smallModel;
  const model = `openai:${id}`;
  const sessions = createSessions(env.SESSION_SECRET, env.SECURE_COOKIES === '1' ? { secure: true } : {});
  const origins = env.ORIGINS.split(',').map((origin) => origin.trim());
  const address = env.ADDRESS ?? ((request: Request) => request.headers.get('cf-connecting-ip') ?? '');
  const shared = { origins, auth: sessions.identify, address, onEvent: report };
  // one store for both, so that they share the daily count
  const limitStore = env.LIMITS ?? createMemoryLimits();

  const models = createModelProxy({
    ...shared,
    basePath: '/api/models',
    providers: { openai: { baseURL: env.OPENAI_API_BASE, paths: ['/responses'], models: [id] } },
    // a task list takes ten calls, and its user may be quick
    limits: { rpm: 60, totalDailyTokens: TOTAL_DAILY_TOKENS },
    store: limitStore,
  });
  // the workers of stored runs have the models, and their guard has the limits by the day
  const runs: Pick<PromptRouteOptions, 'durable' | 'models' | 'limits'> =
    env.DURABLE === undefined
      ? {
          models: (variables) => ({ env: variables }),
          limits: { ...RUN_LIMITS, ...DAY_LIMITS },
        }
      : { durable: env.DURABLE, limits: { ...RUN_LIMITS, rpm: 20 } };
  const route = createPromptRoute(prompts, {
    ...shared,
    ...runs,
    model,
    // the tasks are the user's own, and their validation only bounds the length of a result
    edits: () => true,
    // the user edits a mail before it is sent
    approvals: 'edit',
    limitStore,
  });

  return async (request, context) => {
    const { pathname } = new URL(request.url);
    if (objects !== undefined && pathname.startsWith('/api/')) {
      const session = await sessions.identify(request);
      if (session !== null) return objects.get(objects.idFromName(session.subject)).fetch(request);
    }
    if (pathname.startsWith('/api/models/')) return models(request, env, context);
    if (pathname === '/api/prompts' || pathname.startsWith('/api/prompts/')) {
      return route(request, env, context);
    }
    if (pathname === '/' || pathname === '/index.html') {
      return servePage(request, assets, { model, cookie: await sessions.begin(request) });
    }
    return assets.fetch(request);
  };
}
