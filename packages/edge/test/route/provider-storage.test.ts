import { definePrompt, type ModelSettings } from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import { expect, test } from 'vitest';
import { post, testRoute } from './routes.ts';

type Asked = { model: string; store?: boolean; user?: string };

/** What OpenAI is asked, by a run of a route with these options. */
async function askedOf(
  options: Parameters<typeof testRoute>[1],
  env?: Record<string, string>,
): Promise<Asked[]> {
  const bodies: Asked[] = [];
  const fetch: ModelSettings['fetch'] = async (_input, init) => {
    bodies.push(JSON.parse(init?.body as string) as Asked);
    return Response.json({ error: { message: 'No.' } }, { status: 400 });
  };
  const own = { OPENAI_API_KEY: 'sk-test', LM_MODEL_FAST: 'openai:gpt-5-mini' };
  const models = env === undefined ? { env: own, fetch } : (given: typeof env) => ({ env: given, fetch });
  const hub = testRoute([], { model: 'openai:gpt-4o', models: models as ModelSettings, ...options });
  await (await hub.route(post('call' in (options?.definition ?? {}) ? { input: 'Go.' } : {}), env)).text();
  return bodies;
}

test('OpenAI stores nothing if all callers share an account', async () => {
  const agent = defineAgent({ name: 'echo', instructions: 'Answer.', model: 'openai:gpt-4o-mini' });
  const user = { options: { providerOptions: { openai: { user: 'ada' } } } };
  expect(await askedOf({})).toMatchObject([{ model: 'gpt-4o', store: false }]);
  expect(await askedOf({ model: 'fast' })).toMatchObject([{ model: 'gpt-5-mini', store: false }]);
  expect(await askedOf(user)).toMatchObject([{ user: 'ada', store: false }]);
  expect(await askedOf({ definition: agent, model: undefined })).toMatchObject([
    { model: 'gpt-4o-mini', store: false },
  ]);
});

test('OpenAI stores nothing if the keys come with the request', async () => {
  expect(await askedOf({}, { OPENAI_API_KEY: 'sk-test' })).toMatchObject([{ store: false }]);
});

test('a route or a prompt can enable storage', async () => {
  const stored = { providerOptions: { openai: { store: true } } };
  const keeping = definePrompt('keeping', (prompt) => {
    prompt.defHook(() => stored);
    prompt.$`Hi.`;
  });
  expect(await askedOf({ options: stored })).toMatchObject([{ store: true }]);
  expect(await askedOf({ definition: keeping })).toMatchObject([{ store: true }]);
});
