import type { App } from './app.ts';

declare const Deno: {
  args: readonly string[];
  env: { toObject(): Record<string, string> };
  serve(
    options: { port: number; hostname: string; onListen(address: { port: number }): void },
    handler: (request: Request) => Promise<Response>,
  ): void;
};

const { default: app } = (await import(Deno.args[0]!)) as App;
const env = Deno.env.toObject();
Deno.serve(
  { port: 0, hostname: '127.0.0.1', onListen: ({ port }) => process.stdout.write(`{"port":${port}}\n`) },
  (request) => app.fetch(request, env),
);
