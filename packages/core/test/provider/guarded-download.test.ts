import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { imagePart, filePart, runPrompt } from '@cueline/core';
import { guardedDownload, type DownloadSettings } from '@cueline/core/server';
import { scriptedModel } from '@cueline/core/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isPublicAddress } from '../../src/models/public-address.ts';
import { after } from '../support/runs.ts';

let asked: string[] = [];
let port = 0;
const server = createServer((request, response) => {
  asked.push(request.url!);
  const to = new URL(request.url!, 'http://a').searchParams.get('to');
  if (to !== null) response.writeHead(302, { location: to }).end();
  else if (request.url === '/upgrade')
    request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
  else if (request.url === '/endless') response.write('x');
  else if (request.url === '/packed') response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
  else response.writeHead(200, { 'content-type': 'text/plain' }).end('hello');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => void (asked = []));

/** Names of this test: those at `files.test` are served here, and pass for public. */
const resolve: DownloadSettings['resolve'] = async (host) => {
  const known: Record<string, string[]> = {
    'files.test': ['127.0.0.1'],
    'inner.test': ['10.0.0.1'],
    'half.test': ['127.0.0.1', '10.0.0.1'],
    'nowhere.test': [],
  };
  return (known[host] ?? ['93.184.215.14']).map((address) => ({ address, family: 4 }));
};
const settings: DownloadSettings = { resolve, isPublic: (address) => address === '127.0.0.1' };
const at = (path: string, host = 'files.test') => `http://${host}:${port}${path}`;

async function get(url: string, more: DownloadSettings = {}): Promise<string> {
  const download = guardedDownload({ ...settings, ...more });
  const [file] = await download([{ url: new URL(url), isUrlSupportedByModel: false }]);
  return new TextDecoder().decode(file!.data);
}

describe('a file', () => {
  test('is fetched from the IP address that was checked, whatever its name resolves to later', async () => {
    expect(await get(at('/file'))).toBe('hello');
    expect(await get(at(`/?to=${encodeURIComponent('/file')}`))).toBe('hello');
    expect(asked).toEqual(['/file', '/?to=%2Ffile', '/file']);
  });

  test('is not fetched if the model takes it by its URL', async () => {
    const url = new URL(at('/file'));
    expect(await guardedDownload(settings)([{ url, isUrlSupportedByModel: true }])).toEqual([null]);
    expect(asked).toEqual([]);
  });

  test.each([
    ['a name of an inner network', () => at('/file', 'inner.test')],
    ['a name with one inner address', () => at('/file', 'half.test')],
    ['a name without addresses', () => at('/file', 'nowhere.test')],
    ['loopback', () => at('/file', '127.0.0.1')],
    ['loopback in hexadecimal', () => at('/file', '0x7f.1')],
    ['loopback as one number', () => at('/file', '2130706433')],
    ['loopback in IPv6', () => at('/file', '[::ffff:127.0.0.1]')],
    ['the name of this machine', () => at('/file', 'localhost')],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest'],
    ['a file of this machine', () => 'file:///etc/passwd'],
  ])('at %s is not requested', async (_, url) => {
    await expect(get(url(), { isPublic: isPublicAddress })).rejects.toThrow();
    await expect(get(url())).rejects.toThrow();
    expect(asked).toEqual([]);
  });

  test.each([
    ['an inner name', () => at('/file', 'inner.test')],
    ['loopback', () => at('/file', '127.0.0.1')],
    ['a file', () => 'file:///etc/passwd'],
  ])('is not followed on a redirect to %s', async (_, to) => {
    const url = at(`/?to=${encodeURIComponent(to())}`);
    await expect(get(url)).rejects.toThrow();
    expect(asked).toHaveLength(1);
  });

  test('is not followed from a URL that fileUrls allows to one that fileUrls refuses', async () => {
    const fileUrls = ({ pathname }: URL): boolean => pathname === '/';
    const url = at(`/?to=${encodeURIComponent('/secret')}`);
    await expect(get(url, { fileUrls })).rejects.toThrow('is not allowed by fileUrls');
    expect(asked).toHaveLength(1);
    expect(await get(at('/file'), { fileUrls })).toBe('hello');
  });

  test('has a limit of redirects, bytes and time', async () => {
    let url = '/file';
    for (let hop = 0; hop < 4; hop += 1) url = `/?to=${encodeURIComponent(url)}`;
    await expect(get(at(url))).rejects.toThrow('more than 3 redirects');
    expect(asked).toHaveLength(4);
    await expect(get(at('/file'), { maxBytes: 4 })).rejects.toThrow();
    await expect(get(at('/endless'), { timeoutMs: 50 })).rejects.toThrow();
    await expect(get(at('/packed'))).rejects.toThrow('compressed a file');
  });

  test('is an error if the server switches to another protocol', async () => {
    await expect(get(at('/upgrade'))).rejects.toThrow('closed the connection without an answer');
  });
});

describe('the files of one request', () => {
  const requests = (...paths: string[]) =>
    paths.map((path) => ({ url: new URL(at(path)), isUrlSupportedByModel: false }));
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `/file?${index}`);

  test('are downloaded once each, in their order', async () => {
    const taken = { url: new URL(at('/taken')), isUrlSupportedByModel: true };
    const files = await guardedDownload(settings)([
      ...requests('/file', '/other'),
      taken,
      ...requests('/file'),
    ]);
    expect(files.map((file) => file && new TextDecoder().decode(file.data))).toEqual([
      'hello',
      'hello',
      null,
      'hello',
    ]);
    expect(asked.toSorted()).toEqual(['/file', '/other']);
  });

  test('are requested four at a time', async () => {
    let open = 0;
    let most = 0;
    const counting: DownloadSettings['resolve'] = async (host) => {
      most = Math.max(most, (open += 1));
      await after(5);
      open -= 1;
      return resolve(host);
    };
    await guardedDownload({ ...settings, resolve: counting })(requests(...numbered(9)));
    expect([most, asked.length]).toEqual([4, 9]);
  });

  test('are at most 32, or the number of the settings', async () => {
    await expect(guardedDownload(settings)(requests(...numbered(33)))).rejects.toThrow(
      'name 33 files to download, but one request takes at most 32',
    );
    expect(asked).toEqual([]);
    const twice = [...numbered(32), ...numbered(32)];
    expect(await guardedDownload(settings)(requests(...twice))).toHaveLength(64);
    expect(await guardedDownload({ ...settings, maxFiles: 33 })(requests(...numbered(33)))).toHaveLength(33);
  });

  test('have a limit of total bytes, beyond which no further file is requested', async () => {
    const limited = guardedDownload({ ...settings, maxTotalBytes: 20 });
    expect(await limited(requests(...numbered(4)))).toHaveLength(4);
    // each request counts anew
    expect(await limited(requests(...numbered(4)))).toHaveLength(4);
    asked = [];
    await expect(limited(requests(...numbered(30)))).rejects.toThrow('more than 20 bytes in total');
    expect(asked.length).toBeLessThan(10);
  });
});

test('a runtime that cannot connect to a checked IP address downloads nothing', async () => {
  const real = process.getBuiltinModule.bind(process);
  const client = {
    request: (_url: URL, options: object) =>
      real('node:http').request(`http://127.0.0.1:${port}/file`, { ...options, lookup: undefined }),
  };
  const spy = vi
    .spyOn(process, 'getBuiltinModule')
    .mockImplementation((name: string) => (name === 'node:http' ? client : real(name)));
  try {
    await expect(get(at('/file'))).rejects.toThrow('does not say which IP address it connects to');
  } finally {
    spy.mockRestore();
  }
});

describe('a runtime without a resolver', () => {
  const fetched = vi.fn<typeof fetch>(async () => new Response('hello'));
  const download = (more: DownloadSettings = {}): Promise<unknown> =>
    Promise.resolve(
      guardedDownload(more)([{ url: new URL('https://files.test/a'), isUrlSupportedByModel: false }]),
    );
  beforeEach(() => {
    fetched.mockClear();
    vi.stubGlobal('fetch', fetched);
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  test('downloads nothing by a host name, also one that was resolved', async () => {
    await expect(download()).rejects.toThrow('does not say which IP address the host name has');
    await expect(download({ ...settings, isPublic: () => true })).rejects.toThrow('Node 22.3 or newer');
    expect(fetched).not.toHaveBeenCalled();
  });

  test.each([
    ['a Worker', { WebSocketPair: Object }],
    ['a page', { navigator: { userAgent: 'Mozilla/5.0' } }],
    ['an app', { navigator: { product: 'ReactNative' } }],
  ])('fetches files if it is %s', async (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    expect(await download()).toHaveLength(1);
    expect(fetched).toHaveBeenCalledOnce();
  });
});

test.each([
  ['a template', () => filePart(at('/file', 'localhost'), { mediaType: 'text/plain' })],
  ['an address', () => imagePart(at('/file', '127.0.0.1'))],
])(
  'a run whose message names a file of this network ends with an error, without a request: %s',
  async (_, part) => {
    const model = Object.assign(scriptedModel(['Never.']), { supportedUrls: {} });
    const { run } = await runPrompt((prompt) => prompt.$`See ${part()}`, { model });
    expect(await run.finished).toMatchObject({ status: 'error' });
    expect([asked, model.calls]).toEqual([[], []]);
  },
);

test('a run downloads with the function in its options', async () => {
  const model = Object.assign(scriptedModel(['Hi.']), { supportedUrls: {} });
  const { run } = await runPrompt(
    (prompt) => prompt.$`See ${filePart(at('/file'), { mediaType: 'text/plain' })}`,
    {
      model,
      options: { experimental_download: guardedDownload(settings) },
    },
  );
  expect(await run.finished).toMatchObject({ status: 'done' });
  expect(asked).toEqual(['/file']);
});

describe('an IP address', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '192.0.1.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '64:ff9b::808:808',
    '64:ff9b::8.8.8.8',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '100::1',
    '5f00::1',
    '',
    'localhost',
    '1.2.3',
    '1.2.3.256',
    '1::2::3',
    '2606:4700',
    ':::',
    '1:2:3:4:5:6:7:8:9',
    '2606:4700::g',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
});
