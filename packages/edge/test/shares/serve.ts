// node --conditions=@cueline/source packages/edge/test/shares/serve.ts <origin>: a share store on this machine, for the
// browser tests of the playground. Says where it listens.
import { createShareStore } from '@cueline/edge';
import { serve } from 'srvx/node';

const server = serve({
  port: 0,
  hostname: '127.0.0.1',
  silent: true,
  fetch: createShareStore({
    origins: [process.argv[2] ?? ''],
    auth: 'none',
    address: (request) => (request as { ip?: string }).ip ?? '127.0.0.1',
  }),
});
await server.ready();
process.stdout.write(`${new URL('/api/shares', server.url).href}\n`);
