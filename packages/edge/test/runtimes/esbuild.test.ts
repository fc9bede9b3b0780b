import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { path } from './bundle.ts';
import { talk } from './provider.ts';
import { missing, runtimes, start } from './runtime.ts';
import { ask } from './send-request.ts';
import { key } from './served-app.ts';
import { serveUpstream } from './upstream.ts';

const esbuild = path('../../node_modules/.bin/esbuild');
const lacking =
  missing(runtimes.workerd) ??
  (existsSync(esbuild)
    ? undefined
    : 'Not bundled with esbuild: there is no packages/edge/node_modules/.bin/esbuild.');
if (lacking !== undefined) process.stderr.write(`${lacking}\n`);

/** Packages of providers that a project with OpenAI alone has not installed. */
const absent = [
  'amazon-bedrock',
  'anthropic',
  'azure',
  'cohere',
  'deepseek',
  'fireworks',
  'google',
  'google-vertex',
  'groq',
  'mistral',
  'perplexity',
  'togetherai',
  'xai',
];

/** The bundle that wrangler makes of the app, in a project that has installed one provider. */
async function bundleTo(folder: string): Promise<void> {
  const options = [
    path('app.ts'),
    `--outfile=${join(folder, 'app.js')}`,
    '--bundle',
    '--format=esm',
    '--platform=neutral',
    '--main-fields=module,main',
    '--target=es2023',
    '--conditions=@cueline/source,workerd,worker,browser,module,production',
    '--define:process.env.NODE_ENV="production"',
    '--log-level=error',
    ...absent.map((name) => `--alias:@ai-sdk/${name}=not-installed-${name}`),
  ];
  await promisify(execFile)(esbuild, options);
  await copyFile(path('serve/workerd.capnp'), join(folder, 'workerd.capnp'));
}

// it runs modules in another order than Vite does, and refuses packages that are not there
describe.skipIf(lacking !== undefined)(lacking ?? 'bundled with esbuild, on workerd', () => {
  test('a prompt runs, and a model call is proxied', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cueline-esbuild-'));
    try {
      await bundleTo(folder);
      await using upstream = await serveUpstream();
      await using running = await start(runtimes.workerd, folder, {
        UPSTREAM: upstream.url,
        NOWHERE: upstream.url,
        OPENAI_API_BASE: `${upstream.url}/v1`,
        OPENAI_API_KEY: key,
      });
      upstream.answer((response) => {
        const said = talk(response);
        said.say('Hello Ada.');
        said.end();
      });
      const run = await ask(running, { at: 'greet', path: '', body: { input: { name: 'Ada' } } });
      expect(run.status).toBe(200);
      expect(await run.text()).toMatch(/Hello Ada\.[^]*"outcome":"done"/);
      upstream.answer((response) => {
        response.setHeader('content-type', 'application/json').end('{"object":"chat.completion"}');
      });
      const passed = await ask(running);
      expect([passed.status, await passed.text()]).toEqual([200, '{"object":"chat.completion"}']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 30_000);
});
