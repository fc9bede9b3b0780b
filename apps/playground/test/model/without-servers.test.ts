import { reduceAll, type RunEventBody } from '@cueline/core';
import { expect, test } from 'vitest';
import { problemOfLog } from '../../src/history/check-log.ts';
import { defaultConnection } from '../../src/model/connection.ts';
import { logWithoutServers, resultsWithoutServers } from '../../src/model/without-servers.ts';
import { begun, called, ended, logOf, start, step } from '../transcript/run-events.ts';

const unreachable = {
  code: 'network',
  message: 'Could not reach https://192.168.1.7:8443 (ECONNREFUSED). Check the address.',
  details: { origin: 'https://192.168.1.7:8443' },
} as const;
const failed: RunEventBody = { type: 'run-end', outcome: 'error', error: unreachable };

test('a shared log names no model server of its author, and passes the checks of a reader', async () => {
  const refused = {
    code: 'auth',
    message:
      '192.168.1.7:8443 refused the API key (401): see https://192.168.1.7:8443/team/keys. Ask at 192.168.1.7.',
    details: { statusCode: 401, host: '192.168.1.7:8443' },
  } as const;
  const log = logOf([
    start,
    ...step(0, [
      { type: 'retry', error: unreachable, attempt: 2, maxAttempts: 3, delayMs: 10 },
      ...called('c', 'ask'),
      { type: 'tool-start', toolCallId: 'c', toolName: 'ask' },
      ...begun('c', 'ask'),
      { ...({ agent: 'c' } as object), type: 'agent-end', outcome: 'error', error: refused },
      { type: 'tool-error', toolCallId: 'c', error: refused.message, source: 'model' },
    ]),
    { type: 'warning', message: 'Lost https://192.168.1.7:8443.' },
    failed,
  ]);
  const shared = logWithoutServers(log, defaultConnection);
  expect(JSON.stringify(shared)).not.toContain('192.168');
  const { toolCalls, ...state } = reduceAll(shared);
  expect(state).toMatchObject({
    error: { message: 'Could not reach the model server (ECONNREFUSED). Check the address.' },
  });
  expect(toolCalls[0]).toMatchObject({
    errorText: 'The model server refused the API key (401): see the model server. Ask at the model server.',
  });
  expect(shared.map(({ seq, t, type }) => [seq, t, type])).toEqual(
    log.map(({ seq, t, type }) => [seq, t, type]),
  );
  expect(await problemOfLog(shared)).toBeUndefined();
});

test('an address that the model repeats in pieces is not in the shared log either', async () => {
  const pieces = ['It was https://192.', '168.1.7:84', '43 again.'];
  const log = logOf([
    start,
    ...step(0, [
      { type: 'text-start', id: 'a' },
      ...pieces.map((text): RunEventBody => ({ type: 'text-delta', id: 'a', text })),
      { type: 'text-end', id: 'a' },
      { type: 'text-start', id: 'b' },
      { type: 'text-delta', id: 'b', text: 'Bye' },
      { type: 'text-delta', id: 'b', text: '.' },
      { type: 'text-end', id: 'b' },
    ]),
    failed,
  ]);
  const shared = logWithoutServers(log, defaultConnection);
  expect(shared.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))).toEqual([
    'It was the model server again.',
    '',
    '',
    'Bye',
    '.',
  ]);
  expect(await problemOfLog(shared)).toBeUndefined();
});

test('a system prompt with the address loses the positions of its definitions, which have moved', () => {
  const request = {
    keep: 0,
    messages: [],
    instructions: 'Last error: https://192.168.1.7:8443. Be brief.',
    instructionParts: [{ kind: 'system' as const, name: 'role', start: 38, end: 47 }],
  };
  const log = logOf([start, { type: 'step-start', step: 0, request }, failed]);
  const [, first] = logWithoutServers(log, defaultConnection);
  expect(first).toMatchObject({
    request: { keep: 0, messages: [], instructions: 'Last error: the model server. Be brief.' },
  });
  expect(first).not.toHaveProperty('request.instructionParts');
});

test('the address of the connection is left out of the words of a provider', () => {
  const connection = {
    ...defaultConnection,
    compatible: { model: 'm', baseUrl: ' https://llm.corp.example/v1 ' },
  };
  const error = { code: 'provider_error', message: 'The model failed: llm.corp.example is full.' } as const;
  const log = logOf([start, { type: 'run-end', outcome: 'error', error }]);
  expect(logWithoutServers(log, connection).at(-1)).toMatchObject({
    error: { message: 'The model failed: the model server is full.' },
  });
  const results = [{ caseId: 'a', error }];
  expect(resultsWithoutServers(results, connection)).toEqual([
    { caseId: 'a', error: { ...error, message: 'The model failed: the model server is full.' } },
  ]);
});

test('a log without the address of a server is shared as it is', () => {
  const connection = {
    ...defaultConnection,
    compatible: { model: 'm', baseUrl: 'http://localhost:11434/v1' },
  };
  const said: RunEventBody = { type: 'warning', message: 'Ollama is at http://localhost:11434.' };
  const error = {
    code: 'rate_limited',
    message: 'api.openai.com accepts no more requests at the moment (429).',
    details: { statusCode: 429, host: 'api.openai.com' },
  } as const;
  const log = logOf([
    start,
    ...step(0, [said]),
    ended('c')[0]!,
    { type: 'run-end', outcome: 'error', error },
  ]);
  expect(logWithoutServers(log, connection)).toBe(log);
});

test('words that contain the name of a server stay', () => {
  const error = {
    code: 'network',
    message: 'Could not reach https://gpu. Check the address.',
    details: { origin: 'https://gpu' },
  } as const;
  const log = logOf([
    start,
    { type: 'warning', message: 'The gpus, my-gpu and gpu-2 are other names.' },
    { type: 'run-end', outcome: 'error', error },
  ]);
  const shared = logWithoutServers(log, defaultConnection);
  expect(shared[1]).toEqual(log[1]);
  expect(shared[2]).toMatchObject({
    error: { message: 'Could not reach the model server. Check the address.' },
  });
});
