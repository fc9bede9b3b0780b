import { createApp, type App, type WorkerEnvironment } from './create-app.ts';

let app: App | undefined;

/** As Workers have it. The same object serves on Node (serve.ts), Deno and Bun. */
export default {
  fetch(
    request: Request,
    env: WorkerEnvironment,
    context?: { waitUntil(work: Promise<void>): void },
  ): Promise<Response> {
    // made at the first request, because only then there is an environment
    app ??= createApp(env);
    return app(request, context);
  },
};

/**
 * The same app as a Durable Object: all that a session asks for meets in one place, wherever it comes in, so that its
 * runs can be read on, answered and stopped, and its budget is one. It is kept in memory, and goes with it.
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
