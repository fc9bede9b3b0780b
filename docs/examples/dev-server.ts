// #region server
// dev-server.ts: node --env-file=.env.local dev-server.ts
import { createModelProxy } from '@cueline/edge';
import { serve } from 'srvx';

const proxy = createModelProxy({
  providers: { openai: { models: ['gpt-4o-mini'] } },
  origins: ['http://localhost:5173'],
  auth: () => ({ subject: 'me', dailyTokens: 500_000 }),
});
const server = serve({ hostname: 'localhost', port: 8787, silent: true, fetch: (request) => proxy(request) });
// #endregion

process.env['OPENAI_API_KEY'] ??= 'sk-of-this-example'; // yours stands in .env.local
await server.ready();
const { status } = await fetch('http://localhost:8787/api/models/openai/responses', {
  method: 'OPTIONS',
  headers: { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' },
});
console.log(status);
await server.close(true);
// prints: 204
