import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { chatBody, key, origin } from './support.ts';
import { sendRaw, type Served, serveBoth } from './upstream.ts';

const path = '/api/models/openai/chat/completions';
const raw = JSON.stringify(chatBody);
const length = `content-length: ${raw.length}\r\n`;
const chunked = 'transfer-encoding: chunked\r\n';
const inChunks = `${raw.length.toString(16)}\r\n${raw}\r\n0\r\n\r\n`;
const tooMuch = 'x'.repeat(2 << 20);
const zipped = gzipSync(raw).toString('latin1');
const bomb = gzipSync(' '.repeat(20 << 20)).toString('latin1');
const of = ({ length }: string): string => `content-length: ${length}\r\n`;

/** A request of ada's that would be answered, with what differs. */
function request({
  method = 'POST',
  to = path,
  version = 'HTTP/1.1',
  host = 'host: proxy.example\r\n',
  from = `origin: ${origin}\r\n`,
  who = 'authorization: Bearer ada\r\n',
  type = 'content-type: application/json\r\n',
  more = length,
  body = raw,
}: Record<string, string> = {}): string {
  return `${method} ${to} ${version}\r\n${host}${who}${from}${type}${more}\r\n${body}`;
}

const attacks: [name: string, text: string][] = [
  ['path with a backslash', request({ to: '/api/models/openai\\..\\files' })],
  ['path with encoded dots', request({ to: '/api/models/%2e%2e/openai/chat/completions' })],
  ['path with an encoded slash', request({ to: '/api/models/openai/chat%2Fcompletions' })],
  ['path with a double slash', request({ to: '//api/models/openai/chat/completions' })],
  ['path behind dots', request({ to: `/x/..${path}/../../files` })],
  ['path behind a #', request({ to: `${path}#/health` })],
  ['path with a space', request({ to: `${path} /x` })],
  ['path with a zero', request({ to: `${path}\0` })],
  ['address in place of a path', request({ to: 'http://169.254.169.254/openai/chat/completions' })],
  ['address of another host', request({ to: 'https://evil.example/v1/chat/completions' })],
  ['host of an address', request({ to: `@evil.example${path}` })],
  ['a tunnel', request({ method: 'CONNECT', to: 'evil.example:443' })],
  ['a method that is none', request({ method: 'GE T' })],
  ['a method in small letters', request({ method: 'post' })],
  [
    'host: forged, with an origin to match',
    request({ host: 'host: evil.example\r\n', from: 'origin: https://evil.example\r\n' }),
  ],
  ['host: the path in it', request({ to: '/', host: `host: proxy.example${path}#\r\n` })],
  ['host: the path in it, before a ?', request({ to: '/', host: `host: proxy.example${path}?\r\n` })],
  ['host: none', request({ host: '' })],
  ['host: somebody in it', request({ to: '/', host: `host: ada@evil.example${path}\r\n` })],
  ['host: of this machine, and nobody', request({ host: 'host: localhost\r\n', who: '', from: '' })],
  ['origin: null', request({ from: 'origin: null\r\n' })],
  ['origin: twice', request({ from: `origin: ${origin}\r\norigin: https://evil.example\r\n` })],
  ['origin: another behind a tab', request({ from: `origin: https://evil.example\t${origin}\r\n` })],
  ['authorization: twice', request({ who: 'authorization: Bearer eve\r\nauthorization: Bearer ada\r\n' })],
  ['header with a bare line feed', request({ more: `${length}x: a\nhost: evil\n\r\n` })],
  ['header with a bare return', request({ more: `${length}x: a\rhost: evil\r\n` })],
  ['header over two lines', request({ more: `${length}x: a\r\n host: evil\r\n` })],
  ['header with a space before its colon', request({ more: `${length}transfer-encoding : chunked\r\n` })],
  ['header with a zero', request({ more: `${length}x: a\0b\r\n` })],
  ['header without a name', request({ more: `${length}: a\r\n` })],
  ['headers of 100 KB', request({ more: `${length}x: ${'a'.repeat(100_000)}\r\n` })],
  ['two lengths', request({ more: `content-length: 3\r\n${length}` })],
  ['two lengths in one', request({ more: `content-length: ${raw.length}, 3\r\n` })],
  ['two framings', request({ more: length + chunked, body: inChunks })],
  ['two framings, the other way round', request({ more: chunked + length, body: inChunks })],
  ['chunked twice', request({ more: `transfer-encoding: chunked, identity\r\n`, body: inChunks })],
  ['length that is too short', request({ more: 'content-length: 10\r\n' })],
  ['length that is less than none', request({ more: 'content-length: -1\r\n' })],
  ['length in hexadecimal', request({ more: 'content-length: 0x40\r\n' })],
  ['length with a plus', request({ more: `content-length: +${raw.length}\r\n` })],
  ['length of a terabyte', request({ more: 'content-length: 1099511627776\r\n', body: '' })],
  ['length that is too large', request({ more: of(tooMuch), body: tooMuch })],
  ['chunk that is none', request({ more: chunked, body: 'zz\r\n' })],
  ['chunk of 4 GB', request({ more: chunked, body: `ffffffff\r\n${tooMuch}` })],
  ['chunk with a size that no number holds', request({ more: chunked, body: `${'f'.repeat(17)}\r\n` })],
  [
    'chunks that are too much together',
    request({ more: chunked, body: `100000\r\n${'x'.repeat(1 << 20)}\r\n`.repeat(2) }),
  ],
  ['chunks without an end', request({ more: chunked, body: `8\r\n${' '.repeat(8)}\r\n`.repeat(1 << 18) })],
  ['chunk that is longer than it says', request({ more: chunked, body: `3\r\n${raw}\r\n0\r\n\r\n` })],
  ['packed', request({ more: `content-encoding: gzip\r\n${of(zipped)}`, body: zipped })],
  ['packed, and not said', request({ more: of(zipped), body: zipped })],
  ['packed for the way', request({ more: 'transfer-encoding: gzip, chunked\r\n', body: inChunks })],
  ['packed, 20 MB of it', request({ more: `content-encoding: gzip\r\n${of(bomb)}`, body: bomb })],
  ['packed by another name', request({ more: `content-encoding: x-gzip\r\n${of(zipped)}`, body: zipped })],
  ['a body of no type', request({ type: '' })],
  ['another version', request({ version: 'HTTP/3.0' })],
  [
    'another method in a header',
    request({ method: 'GET', more: 'x-http-method-override: POST\r\n', body: '' }),
  ],
];

let served: Served;
beforeAll(async () => {
  served = await serveBoth((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{}');
  });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});
beforeEach(() => void served.seen.splice(0));

test.each(attacks)('%s is refused', async (_, text) => {
  // some only end where the server has had enough of them
  expect(await sendRaw(served.port, text)).toMatch(/^(?:HTTP\/1\.1 4\d\d |$)/);
  expect(served.seen).toEqual([]);
});

test.each([
  ['as it is', request()],
  ['in chunks', request({ more: chunked, body: inChunks })],
  ['with a forged Host, which is ignored', request({ host: 'host: evil.example\r\n' })],
  [
    'with headers that other servers would obey',
    request({ more: `${length}x-forwarded-host: evil.example\r\nx-original-url: /files\r\n` }),
  ],
])('the same request without the attack is answered: %s', async (_, text) => {
  expect(await sendRaw(served.port, text)).toMatch(/^HTTP\/1\.1 200/);
  const [seen, ...others] = served.seen;
  expect([others.length, seen!.path, seen!.headers.authorization]).toEqual([
    0,
    '/v1/chat/completions',
    `Bearer ${key}`,
  ]);
  expect(JSON.stringify(seen)).not.toContain('evil');
});
