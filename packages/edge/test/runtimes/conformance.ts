import { afterAll, beforeAll, describe, test } from 'vitest';
import { bundle, type Bundle } from './bundle.ts';
import { checkHeaders } from './checks/headers.ts';
import { checkLimits } from './checks/limits.ts';
import { checkRoute } from './checks/route.ts';
import { checkStatuses } from './checks/statuses.ts';
import { checkStreams } from './checks/streams.ts';
import { missing, type Running, type Runtime, start } from './runtime.ts';
import { freePort, serveUpstream, type Upstream } from './upstream.ts';

/** What a check is made with. */
export type Tried = { name: string; url: string; port: number; upstream: Upstream };

export const key = 'sk-live-0123456789abcdef';
export const page = 'https://play.example';

/** Everything that the app has to do over HTTP, on one runtime. */
export function describeRuntime(runtime: Runtime): void {
  const lacking = missing(runtime);
  if (lacking !== undefined) {
    process.stderr.write(`${lacking}\n`);
    test.skip(lacking, () => {});
    return;
  }
  describe(`on ${runtime.name}`, () => {
    let running: Running;
    let bundled: Bundle;
    let upstream: Upstream;
    const tried: Tried = {
      name: runtime.name,
      get url() {
        return running.url;
      },
      get port() {
        return running.port;
      },
      get upstream() {
        return upstream;
      },
    };

    beforeAll(async () => {
      bundled = await bundle();
      upstream = await serveUpstream();
      running = await start(runtime, bundled.folder, {
        UPSTREAM: upstream.url,
        NOWHERE: `http://127.0.0.1:${await freePort()}`,
        OPENAI_API_BASE: `${upstream.url}/v1`,
        OPENAI_API_KEY: key,
      });
    }, 60_000);
    afterAll(async () => {
      await running?.[Symbol.asyncDispose]();
      await upstream?.[Symbol.asyncDispose]();
      await bundled?.[Symbol.asyncDispose]();
    });

    describe('streams', () => checkStreams(tried));
    describe('statuses', () => checkStatuses(tried));
    describe('headers', () => checkHeaders(tried));
    describe('limits', () => checkLimits(tried));
    describe('the prompt route', () => checkRoute(tried));
  });
}
