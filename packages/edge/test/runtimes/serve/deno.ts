import type { App } from './app.ts';

declare const Deno: {
  args: readonly string[];
  serve(
    options: { port: number; hostname: string; onListen(address: { port: number }): void },
    handler: (request: Request, info: object) => Promise<Response>,
  ): void;
};

const { default: app } = (await import(Deno.args[0]!)) as App;
const onListen = ({ port }: { port: number }): void => void process.stdout.write(`{"port":${port}}\n`);
Deno.serve({ port: 0, hostname: '127.0.0.1', onListen }, app.fetch);
