import { serve } from 'srvx/node';
import type { App } from './app.ts';

const { default: app } = (await import(process.argv[2]!)) as App;
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', silent: true });
await server.ready();
process.stdout.write(`{"port":${new URL(server.url!).port}}\n`);
