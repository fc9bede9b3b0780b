import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { path } from './bundle.ts';
import { missing, runtimes } from './runtime.ts';

const asked: string[] = [];
const server = createServer(({ url = '', headers }, response) => {
  asked.push(`${headers.host!.split(':')[0]}${url}`);
  if (url === '/moved') response.writeHead(302, { location: '/file' }).end();
  else if (url === '/endless') response.writeHead(200).write('x');
  else response.end('hello');
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const probe = path('../../../core/test/models/pinned-probe.ts');
const bin = (name: string): string => path(`../../node_modules/.bin/${name}`);
const commands: [keyof typeof runtimes, string, string[]][] = [
  ['node', process.execPath, ['--disable-warning=ExperimentalWarning', probe]],
  ['deno', bin('deno'), ['run', '--no-config', '--no-lock', '--no-check', '-A', probe]],
  ['bun', bin('bun'), [probe]],
];

describe.each(commands)('%s', (name, command, args) => {
  test.skipIf(missing(runtimes[name]) !== undefined)(
    'connects to the IP address that was checked, whatever a name resolves to later',
    async () => {
      asked.length = 0;
      const { port } = server.address() as AddressInfo;
      const { stdout } = await promisify(execFile)(command, [...args, String(port)], { timeout: 50_000 });
      expect(JSON.parse(stdout)).toEqual({
        named: '200 hello',
        moved: '302 ',
        elsewhere: 'failed',
        address: '200 hello',
        endless: 'failed',
        isResolved: true,
      });
      // nothing followed a redirect, and nothing looked up the name
      expect(asked).toEqual(['files.test/file', 'files.test/moved', '127.0.0.1/file', 'files.test/endless']);
    },
    60_000,
  );
});
