// Clients do not learn which host the server calls, because it may be one inside its network.
import { definePrompt, type SerializedError } from '@cueline/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createErrorRedaction } from '../../src/route/redact-errors.ts';
import { all, client, never, testRoute } from './routes.ts';

const env = {
  LAB_API_BASE: 'http://llm.corp.internal:8000/v1',
  LAB_API_TYPE: 'openai',
  LAB_API_KEY: 'sk-lab',
};
const definition = definePrompt('ask', (prompt) => {
  prompt.defAgent('helper', 'Helps', z.object({}), (_, inner) => inner.$`Help.`, { model: 'lab:small' });
  prompt.$`Ask.`;
});
const refusal = (status: number, message: string) => async () =>
  Response.json({ error: { message } }, { status });
const unreachable = () =>
  Promise.reject(
    new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) }),
  );

test.each<[string, () => Promise<Response>, string, object]>([
  [
    'refuses the request',
    refusal(400, 'See http://llm.corp.internal:8000/docs/limits, or llm.corp.internal.'),
    'bad_request',
    { message: 'The provider did not accept the request (400): See the provider, or the provider.' },
  ],
  [
    'refuses the key',
    refusal(401, 'No key of llm.corp.internal.'),
    'auth',
    {
      message:
        "The provider does not accept this server's key. Ask the operator of this server to correct it.",
    },
  ],
  [
    'cannot be reached',
    unreachable,
    'network',
    {
      message: 'This server could not reach the provider. Try again in a while.',
      details: { reason: 'ECONNREFUSED' },
    },
  ],
  [
    'redirects',
    async () => new Response(null, { status: 302, headers: { location: 'http://sso.corp.internal' } }),
    'redirect_blocked',
    {
      message: expect.stringMatching(/^The provider answered with a redirect, which is refused\. Ask the op/),
    },
  ],
  [
    'is a web page',
    async () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    'provider_error',
    {
      message: 'The provider answered with a web page. Ask the operator of this server to check its address.',
    },
  ],
])('a provider that %s is not named to clients', async (_, fetch, code, shown) => {
  const models = { env, fetch };
  const own = testRoute([], { definition, model: 'lab:large', models, options: { maxRetries: 0 } });
  const log = await all(client(own).start({ definition, input: undefined }, never()));
  expect(log.at(-1)).toMatchObject({ type: 'run-end', error: { code, ...shown } });

  // an agent's failure is also a text of its call, and of what the model reads about it
  const script = [[{ toolCall: { name: 'helper', input: {} } }], 'Done.'];
  const asked = testRoute(script, { definition, models, showRequests: true, options: { maxRetries: 0 } });
  const agents = await all(client(asked).start({ definition, input: undefined }, never()));
  expect(agents.find(({ type }) => type === 'agent-end')).toMatchObject({ error: { code, ...shown } });
  expect(agents.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });

  for (const [hub, events] of [
    [own, log],
    [asked, agents],
  ] as const) {
    expect(JSON.stringify(events)).not.toContain('corp.internal');
    const reported = hub.events.flatMap((event) => (event.type === 'failed' ? [String(event.error)] : []));
    expect(reported).toEqual([expect.stringContaining('llm.corp.internal')]);
  }
});

test.each([
  [
    'openai:gpt-4o',
    'missing_key',
    'This server has no key for this model. Ask its operator to set one.',
    'OPENAI_API_KEY',
  ],
  [
    'azure:gpt-4o',
    'missing_setting',
    'This server cannot call this model yet. Ask its operator to complete its settings.',
    'AZURE_RESOURCE_NAME',
  ],
])('only the operator reads what the server lacks for %s', async (model, code, message, variable) => {
  const hub = testRoute([], { definition, model, models: { env: { AZURE_API_KEY: 'secret-of-azure' } } });
  const log = await all(client(hub).start({ definition, input: undefined }, never()));
  expect(log.at(-1)).toMatchObject({ type: 'run-end', error: { code, message } });
  expect(JSON.stringify(log)).not.toContain(variable);
  expect(hub.events.flatMap((event) => (event.type === 'failed' ? [String(event.error)] : []))).toEqual([
    expect.stringContaining(variable),
  ]);
});

test.each<[string, string, string]>([
  [
    'llm:8000',
    'llm:8000 is overloaded (503): llm is busy.',
    'The provider is overloaded (503): llm is busy.',
  ],
  [
    'a.example',
    'a.example is overloaded: data.example is not.',
    'The provider is overloaded: data.example is not.',
  ],
])('only the address of %s is replaced', (host, message, shown) => {
  const error: SerializedError = { code: 'overloaded', message, details: { host, statusCode: 503 } };
  const event = { seq: 0, t: 0, type: 'run-end', outcome: 'error', error } as const;
  expect(createErrorRedaction(() => {})(event)).toEqual({
    ...event,
    error: { code: 'overloaded', message: shown, details: { statusCode: 503 } },
  });
});
