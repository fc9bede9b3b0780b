import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { definePrompt, filePart } from '@cueline/core';
import { guardedDownload, type DownloadSettings } from '@cueline/core/server';
import type { PromptRouteOptions } from '@cueline/edge';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { post, testRoute } from './routes.ts';

/** What was asked for, with the name that it was asked under. */
const asked: string[] = [];
const server = createServer(({ url = '', headers }, response) => {
  const { host = '' } = headers;
  asked.push(`${host.split(':')[0]}${url.split('?')[0]}`);
  const to = new URL(url, 'http://a').searchParams.get('to');
  if (to === null) response.writeHead(200, { 'content-type': 'text/plain' }).end('secret');
  else response.writeHead(302, { location: to }).end();
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());
beforeEach(() => void asked.splice(0));

/** How often each name was resolved. */
const resolved = new Map<string, number>();
beforeEach(() => resolved.clear());

/**
 * The names of this test: `*.public.test` is served here, which passes for the public internet; `rebinds.test` is so
 * the first time that it is asked for, and of an inner network from then on.
 */
const resolve: DownloadSettings['resolve'] = async (host) => {
  const times = (resolved.get(host) ?? 0) + 1;
  resolved.set(host, times);
  const isPublic = host.endsWith('public.test') || (host === 'rebinds.test' && times === 1);
  return [{ address: isPublic ? '127.0.0.1' : '10.0.0.7', family: 4 }];
};
const guard: DownloadSettings = { resolve, isPublic: (address) => address === '127.0.0.1' };
const at = (host: string, to?: string): string =>
  `http://${host}:${port}/${to === undefined ? 'file' : `moved?to=${encodeURIComponent(to)}`}`;

const reading = definePrompt(
  'reading',
  (prompt, { url }) => prompt.$`Read ${filePart(url, { mediaType: 'text/plain' })}`,
  { input: z.object({ url: z.string() }) },
);
const chatting = definePrompt('chatting', (prompt) => prompt.$`Read what you are sent.`);

/** Both ways in which a client can have a file downloaded. */
const ways: [string, typeof reading | typeof chatting, (url: string) => object][] = [
  ['by its input', reading, (url) => ({ input: { url } })],
  [
    'by its messages',
    chatting,
    (url) => ({
      prompt: 'chatting',
      tasks: [],
      messages: [{ id: 'u', role: 'user', parts: [{ type: 'file', mediaType: 'text/plain', url }] }],
    }),
  ],
];

describe.each(ways)('a file whose URL a client sends %s', (_, definition, bodyOf) => {
  async function start(url: string, options: Partial<PromptRouteOptions> = {}) {
    const hub = testRoute(['Read.'], {
      definition: definition as never,
      fileUrls: () => true,
      options: { experimental_download: guardedDownload(guard) },
      ...options,
    });
    Object.assign(hub.model, { supportedUrls: {} });
    const text = await (await hub.route(post(bodyOf(url)))).text();
    return { hub, text };
  }

  test('is downloaded from the resolved IP address, and each redirect is resolved once', async () => {
    const { hub, text } = await start(at('a.public.test', at('b.public.test', at('c.public.test'))));
    expect(text).toContain('"outcome":"done"');
    const parts = hub.model.calls[0]!.prompt.flatMap(({ content }) => content as readonly object[]);
    const data = new TextEncoder().encode('secret');
    expect(parts).toContainEqual(expect.objectContaining({ type: 'file', data: { type: 'data', data } }));
    expect(asked).toEqual(['a.public.test/moved', 'b.public.test/moved', 'c.public.test/file']);
    expect([...resolved.values()]).toEqual([1, 1, 1]);
  });

  test.each([
    ['an inner name', () => at('inner.test')],
    ['an inner address', () => 'http://10.0.0.7/file'],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data'],
    ['another protocol', () => 'ftp://public.test/file'],
  ])('is not followed on a redirect to %s', async (_to, to) => {
    const { hub, text } = await start(at('public.test', to()));
    expect(text).toContain('"outcome":"error"');
    expect(asked).toEqual(['public.test/moved']);
    expect(hub.model.calls).toEqual([]);
  });

  test('is fetched over at most three redirects', async () => {
    const three = at('public.test', at('public.test', at('public.test', at('public.test'))));
    expect((await start(three)).text).toContain('"outcome":"done"');
    expect(asked.splice(0)).toHaveLength(4);
    const { hub, text } = await start(at('public.test', three));
    expect(text).toContain('"outcome":"error"');
    expect(asked).toHaveLength(4);
    expect(hub.model.calls).toEqual([]);
  });

  test('is fetched from the IP address that was checked, and not if that is an internal one', async () => {
    expect((await start(at('rebinds.test'))).text).toContain('"outcome":"done"');
    expect(asked).toEqual(['rebinds.test/file']);
    expect(resolved.get('rebinds.test')).toBe(1);
    expect((await start(at('rebinds.test'))).text).toContain('"outcome":"error"');
    expect(asked).toHaveLength(1);
  });

  test('at a name of this machine is not requested by a default route', async () => {
    const { hub, text } = await start(at('localhost'), { options: {} });
    expect(text).toContain('"outcome":"error"');
    expect([asked, hub.model.calls]).toEqual([[], []]);
  });
});
