import { createRun, type RunEvent } from '@cueline/core';
import { defineAgent, defineSession, tags } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { createMemoryRuns, type RouteContext } from '@cueline/edge';
import type { UIMessage } from 'ai';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { read } from '../stores/events.ts';
import { request } from './greet-request.ts';
import {
  address,
  all,
  ask,
  client,
  endless,
  greet,
  idOf,
  looks,
  never,
  post,
  readTo,
  sends,
  slowly,
  testRoute,
} from './routes.ts';
import { createEventSource } from './sse.ts';

describe('a run on a route', () => {
  test('has the same events as a run in the page', async () => {
    const hub = testRoute([looks, 'Hello Ada.']);
    const run = createRun(greet, { executor: client(hub) });
    expect(await run.start({ name: 'Ada' })).toBe('Hello Ada.');
    expect(run.getState()).toMatchObject({
      status: 'done',
      toolCalls: [{ toolName: 'look', output: 'seen Ada' }],
    });
    expect(run.log().map(({ seq }) => seq)).toEqual(run.log().map((_, index) => index));
    expect(run.log()[0]).toMatchObject({ type: 'run-start', name: 'greet', input: { name: 'Ada' } });
    expect(run.getState().runId).toMatch(/^run-[0-9a-f-]{36}$/);
    expect(hub.asked).toEqual([{ method: 'POST', status: 200 }]);
    const { runId } = run.getState();
    expect(await all(read(hub.store, runId, -1, never()))).toEqual(run.log());
    const facts = { runId, subject: 'ada', prompt: 'greet' };
    const call = { type: 'model-call', ...facts, model: 'simulated:scripted', basis: 'reported' };
    expect(hub.events).toEqual([
      { type: 'run-start', ...facts },
      expect.objectContaining(call),
      expect.objectContaining(call),
      {
        type: 'run-end',
        ...facts,
        outcome: 'done',
        ms: expect.any(Number),
        tokens: expect.any(Number),
        cost: 0,
        usage: [expect.objectContaining({ model: 'simulated:scripted' })],
      },
    ]);
  });

  test('continues when its client disconnects, and can be read afterwards', async () => {
    const hub = testRoute([
      [{ text: 'Hello', chunkSize: 1 }, { delay: 30 }, { text: ' Ada.', chunkSize: 1 }],
    ]);
    const executor = client(hub);
    const seen = await readTo(executor.start(request, never()), 'text-delta');
    const rest = await all(executor.attach(idOf(seen), seen.length - 1, never())!);
    const log = [...seen, ...rest];
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index));
    expect(log.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(hub.model.calls).toHaveLength(1);
    expect(hub.asked.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  test.each(['', '/answers', '/answers/'])('can be edited and answered under its URL%s', async (path) => {
    const hub = testRoute([sends, 'Sent it.'], { options: { approval: true } });
    const response = await hub.route(post({ prompt: 'greet', input: {} }));
    const runId = response.headers.get('x-cueline-run');
    const tell = async (body: unknown) => {
      const sent = new Request(`${address}${path}?run=${runId}`, post(body));
      const answer = await hub.route(sent);
      return [answer.status, answer.headers.get('x-cueline-run'), await answer.json()];
    };
    const edit = { type: 'skip', taskId: 'none' };
    expect(await tell({ type: 'edit', edit })).toEqual([
      200,
      runId,
      { accepted: false, reason: expect.any(String) },
    ]);
    const reader = createEventSource(response.body!);
    let approvalId: string | undefined;
    while (approvalId === undefined) {
      const { value } = await reader.next();
      const { data } = value as { data?: RunEvent };
      if (data?.type === 'approval-request') approvalId = data.approvalId;
    }
    expect(await tell({ type: 'approval-response', approvalId, response: { approved: true } })).toEqual([
      200,
      runId,
      { accepted: true },
    ]);
    const rest = (await all(reader)).flatMap((event) => ('data' in event ? [event.data as RunEvent] : []));
    expect(rest.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(rest).toContainEqual(expect.objectContaining({ type: 'tool-end', output: 'sent to Bob' }));
  });

  test('tells a client after its end not to reconnect', async () => {
    const store = createMemoryRuns();
    const here = testRoute([looks, 'Hello Ada.'], { store });
    const there = testRoute([], { store });
    const log = await all(client(here).start(request, never()));
    const runId = idOf(log);
    for (const hub of [here, there]) {
      const after = (seq: number) => hub.route(ask('GET', `?run=${runId}`, { 'last-event-id': String(seq) }));
      // which makes an EventSource stop reconnecting
      expect((await after(log.length - 1)).status).toBe(204);
      expect((await after(1e9)).status).toBe(204);
      const last = await after(log.length - 2);
      expect([last.status, (await last.text()).match(/^id: .*$/gm)]).toEqual([
        200,
        [`id: ${log.length - 1}`],
      ]);
      expect(await all(client(hub).attach(runId, log.length - 1, never())!)).toEqual([]);
      expect(hub.asked.at(-1)).toEqual({ method: 'GET', status: 204 });
    }
  });

  test('responds to a reconnecting client before the next event', async () => {
    const store = createMemoryRuns();
    const here = testRoute([[{ text: 'Hello' }, { delay: 900 }, { text: ' Ada.' }]], { store });
    const there = testRoute([], { store });
    const seen = await readTo(client(here).start(request, never()), 'text-delta');
    const query = `?run=${idOf(seen)}&after=${seen.length - 1}`;
    const [one, two] = await Promise.all([here.route(ask('GET', query)), there.route(ask('GET', query))]);
    expect([one.status, two.status]).toEqual([200, 200]);
    const texts = [await one.text(), await two.text()];
    expect(texts[0]).toContain(`id: ${seen.length}\n`);
    expect(texts[1]).toBe(texts[0]);
  });

  test('responds to a reconnecting client at once, without waiting for an event or a timer', async () => {
    const store = createMemoryRuns();
    const here = testRoute([endless], { store });
    const there = testRoute([], { store });
    const seen = await readTo(client(here).start(request, never()), 'text-delta');
    const runId = idOf(seen);
    const query = `?run=${runId}&after=${seen.length - 1}`;
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    try {
      for (const hub of [here, there]) {
        const { status, body } = await hub.route(ask('GET', query));
        expect(status).toBe(200);
        const reader = body!.getReader();
        // so that a server which waits for a first byte sends its headers, too
        expect(new TextDecoder().decode((await reader.read()).value)).toBe(':\n\n');
        await reader.cancel();
      }
    } finally {
      vi.useRealTimers();
      await here.route(ask('DELETE', `?run=${runId}`));
    }
  });

  test('ends when it is stopped, for all its readers', async () => {
    const hub = testRoute([endless]);
    const controller = new AbortController();
    const executor = client(hub);
    const watching: RunEvent[] = [];
    for await (const event of executor.start(request, controller.signal)) {
      watching.push(event);
      if (event.type !== 'text-delta') continue;
      const other = all(executor.attach(idOf(watching), -1, never())!);
      controller.abort();
      const told = await other;
      expect(told.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    }
    expect(watching.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    await expect
      .poll(() => hub.asked.filter(({ method }) => method === 'DELETE'))
      .toEqual([{ method: 'DELETE', status: 204 }]);
  });

  test('with the same key is the same run, for its subject', async () => {
    const hub = testRoute([looks, 'Hello Ada.', 'Hello Bob.']);
    const executor = client(hub);
    const keyed = { ...request, key: 'k' };
    const [one, two] = await Promise.all([
      all(executor.start(keyed, never())),
      all(executor.start(keyed, never())),
    ]);
    expect(two).toEqual(one);
    expect(await all(executor.start(keyed, never()))).toEqual(one);
    expect(hub.model.calls).toHaveLength(2);
    const other = await all(client(hub, 'bob').start(keyed, never()));
    expect(idOf(other)).not.toBe(idOf(one));
    expect(hub.model.calls).toHaveLength(3);
  });

  test('with the same key and another input, or other messages, is another run', async () => {
    const hub = testRoute(['Hello Ada.', 'Hello Bob.', 'Hello again.']);
    const turn: UIMessage = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] };
    const starts = [request, { ...request, input: { name: 'Bob' } }, { ...request, messages: [turn] }];
    const ids = [];
    for (const each of starts) ids.push(idOf(await all(client(hub).start({ ...each, key: 'k' }, never()))));
    expect(new Set(ids).size).toBe(3);
    const again = await all(client(hub).start({ ...starts[1]!, key: 'k' }, never()));
    expect(idOf(again)).toBe(ids[1]);
    expect(hub.model.calls).toHaveLength(3);
  });

  test('is answered and edited over the route', async () => {
    const hub = testRoute([sends, 'Done.'], { options: { approval: true }, approvals: 'edit' });
    const run = createRun(greet, { executor: client(hub) });
    const end = run.start({ name: 'Ada' });
    await expect.poll(() => run.getState().approvals.length).toBe(1);
    const [asked] = run.getState().approvals;
    const reply = await run.respondToApproval('nothing', { approved: true });
    expect(reply).toEqual({
      accepted: false,
      reason: expect.stringContaining('There is no approval nothing'),
    });
    expect(await run.edit({ type: 'skip', taskId: 'a' })).toEqual({
      accepted: false,
      reason: 'There is no such task in this run.',
    });
    expect(await run.respondToApproval(asked!.approvalId, { approved: true, input: { to: 'Eve' } })).toEqual({
      accepted: true,
    });
    expect(await end).toBe('Done.');
    expect(run.getState().toolCalls[0]?.output).toBe('sent to Eve');
    expect(
      await client(hub).send(run.getState().runId, { type: 'edit', edit: { type: 'add', title: 'x' } }),
    ).toEqual({
      accepted: false,
      reason: 'The run is not in progress.',
    });
  });

  test('may be a session', async () => {
    const done = [{ toolCall: { name: 'task_complete', input: { summary: 'All found.' } } }];
    const research = defineSession('research', { systemPrompt: 'You look.', initialMessage: 'Go on.' });
    const hub = testRoute([done], { definition: research });
    const run = createRun(research, { executor: client(hub) });
    expect(await run.start()).toEqual({ summary: 'All found.' });
  });

  test('may be an agent', async () => {
    const geographer = defineAgent({
      name: 'geographer',
      instructions: 'You know every capital.',
      output: tags(['answer']),
    });
    const hub = testRoute(['<answer>Lisbon</answer>'], { definition: geographer });
    const run = createRun(geographer, { executor: client(hub) });
    expect(await run.start('Portugal?')).toEqual({ answer: 'Lisbon' });
  });

  test('of one prompt among several is requested by its name', async () => {
    const other = { ...greet, name: 'other' };
    const hub = testRoute(['Hi.'], { definition: [greet, other] });
    const run = createRun(other, { executor: client(hub) });
    await run.start({ name: 'Ada' });
    expect(hub.events[0]).toMatchObject({ type: 'run-start', prompt: 'other' });
  });

  test('of another prompt with the same key is another run', async () => {
    const other = { ...greet, name: 'other' };
    const hub = testRoute(['Hi.', 'Hi again.'], { definition: [greet, other] });
    const ids = [];
    for (const definition of [greet, other]) {
      ids.push(idOf(await all(client(hub).start({ ...request, definition, key: 'k' }, never()))));
    }
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('that fails to start is a run that ends with the error', async () => {
    const hub = testRoute([], { model: 'nowhere:x' });
    const log = await all(client(hub).start(request, never()));
    expect(log).toMatchObject([
      { seq: 0, type: 'run-start', runId: expect.stringMatching(/^run-/) },
      { seq: 1, type: 'run-end', outcome: 'error', error: { code: 'unknown_model' } },
    ]);
    expect(await all(client(hub).attach(idOf(log), 0, never())!)).toEqual(log.slice(1));
  });

  test('may continue a conversation', async () => {
    const hub = testRoute(['Hello Ada.', 'Fine.']);
    const run = createRun(greet, { executor: client(hub) });
    await run.start({ name: 'Ada' });
    expect(await run.send('How are you?')).toBe('Fine.');
    expect(hub.model.calls[1]?.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test('is separate from nineteen others at the same time', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `name-${index}`);
    const hub = testRoute([], {
      model: undefined,
      models: {
        providers: {
          echo: (id: string) => scriptedModel([slowly(`I am ${id}.`, 2)]),
        },
      },
      accept: ({ model }) => ({ model: String(model) }),
      limits: { concurrent: 20 },
    });
    const logs = await Promise.all(
      names.map((name) => all(client(hub).start({ ...request, model: `echo:${name}` }, never()))),
    );
    const texts = logs.map((log) =>
      log.flatMap((event) => (event.type === 'text-delta' ? event.text : [])).join(''),
    );
    expect(texts).toEqual(names.map((name) => `I am ${name}.`));
    expect(new Set(logs.map(idOf)).size).toBe(20);
    expect(logs.map((log) => log.at(-1))).toEqual(
      names.map(() => expect.objectContaining({ type: 'run-end', outcome: 'done' }) as unknown),
    );
  });

  test('uses the environment of the platform for its models', async () => {
    const hub = testRoute([], {
      model: 'mine:x',
      models: (env) => ({ providers: { mine: () => scriptedModel([`Key ${env['REGION']}.`]) } }),
    });
    const response = await hub.route(post({ input: { name: 'Ada' } }), { REGION: 'eu' });
    expect(await response.text()).toContain('Key eu.');
  });

  test.each(['context', 'option'] as const)('keeps the platform awake until its end (%s)', async (how) => {
    const works: Promise<void>[] = [];
    const waitUntil = (work: Promise<void>) => void works.push(work);
    const hub = testRoute([[{ text: 'Hi' }, { delay: 30 }]], how === 'option' ? { waitUntil } : {});
    const response = await hub.route(post({ input: {} }), {}, how === 'context' ? { waitUntil } : undefined);
    await response.body?.cancel();
    expect(works).toHaveLength(1);
    await works[0];
    const runId = response.headers.get('x-cueline-run')!;
    expect((await all(read(hub.store, runId, -1, AbortSignal.timeout(10)))).at(-1)).toMatchObject({
      type: 'run-end',
      outcome: 'done',
    });
  });
});

const context: RouteContext = { waitUntil: () => {} };

test.each<[what: string, env: unknown, key: string, context?: RouteContext]>([
  ["a Worker's variables", { OPENAI_API_KEY: 'sk-of-the-request', STORE: {} }, 'sk-of-the-request'],
  ["a Worker's context and no variable in capitals", { openai_api_key: 'sk' }, 'none', context],
  ['nothing', undefined, 'sk-of-the-process'],
  ['nothing and a context', undefined, 'sk-of-the-process', context],
  ["Next's parameters of a path", { params: Promise.resolve({ id: '7' }) }, 'sk-of-the-process'],
  ["Netlify's context", { ip: '192.0.2.1', params: {} }, 'sk-of-the-process'],
])(
  'a route without models that is called with %s reads the key there or from the process',
  async (_, env, key, passed) => {
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.unstubAllGlobals();
    });
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-process');
    const keys: unknown[] = [];
    vi.stubGlobal('fetch', async (_input: unknown, init: RequestInit) => {
      keys.push(new Headers(init.headers).get('authorization'));
      return Response.json({ error: { message: 'No.' } }, { status: 400 });
    });
    const hub = testRoute([], { model: 'openai:gpt-4o' });
    await (await hub.route(post({ input: {} }), env, passed)).text();
    expect(keys).toEqual(key === 'none' ? [] : [`Bearer ${key}`]);
  },
);
