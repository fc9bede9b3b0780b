import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { bundle, type Bundle } from './bundle.ts';
import { checkHeaders } from './checks/headers.ts';
import { checkLimits } from './checks/limits.ts';
import { checkRoute } from './checks/route.ts';
import { checkStatuses } from './checks/statuses.ts';
import { checkStreams } from './checks/streams.ts';
import { missing, type Running, type Runtime, start } from './runtime.ts';
import { key, type Tried } from './served-app.ts';
import { nowhere, serveUpstream, type Upstream } from './upstream.ts';

/** Everything that the app has to do over HTTP, on one runtime. */
export function describeRuntime(runtime: Runtime): void {
  const lacking = missing(runtime);
  if (lacking !== undefined) process.stderr.write(`${lacking}\n`);
  describe.skipIf(lacking !== undefined)(lacking ?? `on ${runtime.name}`, () => {
    let running: Running;
    let bundled: Bundle;
    let upstream: Upstream;
    const at = (path: string): Tried => ({
      name: runtime.name,
      get url() {
        return running.url + path;
      },
      get port() {
        return running.port;
      },
      get upstream() {
        return upstream;
      },
    });
    const tried = at('');

    beforeAll(async () => {
      bundled = await bundle();
      upstream = await serveUpstream();
      running = await start(runtime, bundled.folder, {
        UPSTREAM: upstream.url,
        NOWHERE: nowhere,
        OPENAI_API_BASE: `${upstream.url}/v1`,
        OPENAI_API_KEY: key,
      });
    }, 60_000);
    afterEach(({ task }) => {
      if (task.result?.state === 'fail') process.stderr.write(`${runtime.name} said:\n${running.said()}\n`);
    });
    afterAll(async () => {
      await running?.[Symbol.asyncDispose]();
      await upstream?.[Symbol.asyncDispose]();
      await bundled?.[Symbol.asyncDispose]();
    });

    describe('streams', () => {
      checkStreams(tried);
    });
    describe('statuses', () => {
      checkStatuses(tried);
    });
    describe('headers', () => {
      checkHeaders(tried);
    });
    describe('limits', () => {
      checkLimits(tried);
    });
    describe.each(runtime.routes ?? [['the prompt route', '']])('%s', (_name, path) => {
      checkRoute(at(path));
    });
  });
}
