import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pour } from './fault.ts';
import { head, startFaultServer, type Play } from './provider.ts';

const probe = fileURLToPath(new URL('heap-probe.ts', import.meta.url));

/** How much more memory a run may take than a process that has run one before, in megabytes. */
const ALLOWED = 64;

type Probed = { status: string; code?: string; megabytes: number };

/** Runs a case in a process with a small heap. */
async function play(name: string, baseURL: string): Promise<Probed> {
  const flags = ['--expose-gc', '--max-old-space-size=160', '--conditions=@cueline/source'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, probe, name, baseURL]);
  const probed = JSON.parse(stdout) as Probed;
  process.stderr.write(`Memory, ${name}: ${probed.megabytes.toFixed(1)} MB more.\n`);
  return probed;
}

const megabyte = 'x'.repeat(1_000_000);

const faults: [name: string, code: string, play: Play][] = [
  [
    'a line without an end',
    'too_large',
    async (exchange) => {
      head(exchange.response).write(`${exchange.answer.start}data: {"choices":[{"delta":{"content":"`);
      await pour(exchange.response, megabyte, Infinity);
    },
  ],
  [
    'an error with a body of 200 MB',
    'bad_request',
    async (exchange) => {
      exchange.response.writeHead(400, { 'content-type': 'application/json' });
      exchange.response.write('{"error":{"message":"');
      await pour(exchange.response, megabyte, 200);
      exchange.response.end('"}}');
    },
  ],
];

test.for(faults)(`%s takes less than ${ALLOWED} MB`, { timeout: 60_000 }, async ([name, code, fault]) => {
  await using server = await startFaultServer();
  const { baseURL } = server.provider('chat', 'call', fault);
  const { megabytes, ...end } = await play(name, baseURL);
  expect(end).toEqual({ status: 'error', code });
  expect(megabytes).toBeLessThan(ALLOWED);
});

test(`a tool that throws 10 MB takes less than ${ALLOWED} MB`, { timeout: 60_000 }, async () => {
  const { megabytes, ...end } = await play('tool', '');
  expect(end).toEqual({ status: 'done' });
  expect(megabytes).toBeLessThan(ALLOWED);
});
