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
