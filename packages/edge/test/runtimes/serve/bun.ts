import type { App } from './app.ts';

declare const Bun: {
  serve(options: {
    port: number;
    hostname: string;
    idleTimeout: number;
    fetch(request: Request, server: object): Promise<Response>;
  }): { port: number };
};

const { default: app } = (await import(process.argv[2]!)) as App;
const { port } = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  // Bun closes a connection after ten silent seconds, and a model may think for longer
  idleTimeout: 0,
  fetch: app.fetch,
});
process.stdout.write(`{"port":${port}}\n`);
