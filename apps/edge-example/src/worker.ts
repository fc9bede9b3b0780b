import { createApp, type App, type WorkerEnvironment } from './create-app.ts';

let app: App | undefined;

/** The worker's entry. The same object serves on Node (serve.ts), Deno and Bun. */
export default {
  fetch(
    request: Request,
    env: WorkerEnvironment,
    context?: { waitUntil(work: Promise<void>): void },
  ): Promise<Response> {
    // created at the first request, because there is no environment before
    app ??= createApp(env);
    return app(request, context);
  },
};

/**
 * The same app as a Durable Object: it gets all requests of a session, so that it can continue, answer and stop its
 * runs, and
 * has its one budget. Its memory ends with it.
 */
export class Session {
  readonly #app: App;

  constructor(_state: unknown, env: WorkerEnvironment) {
    this.#app = createApp({ ...env, SESSIONS: undefined });
  }

  fetch(request: Request): Promise<Response> {
    return this.#app(request);
  }
}
