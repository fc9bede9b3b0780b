import { createRun, definePrompt, reduceAll, type PromptDefinition, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { createMemoryStore, type DurableStore } from '@cueline/durable';
import { createPromptRoute, type PromptRouteOptions } from '@cueline/edge';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createServer, type Server } from './durable-server.ts';
import { address, all, ask, client, idOf, never, page, post, readTo, refusal } from './routes.ts';
import { TestChat } from './test-chat.ts';

const sends: ScriptedTurn = [{ toolCall: { name: 'send', input: { to: 'Ada' } } }];
const looks: ScriptedTurn = [{ toolCall: { name: 'look', input: {} } }];
const writes: ScriptedTurn = [{ toolCall: { name: 'write', input: {} } }];

/** A model whose answer depends only on the request, so that it is the same in every process. */
function modelOf(turns: readonly ScriptedTurn[]): ScriptedModel {
  const model = scriptedModel(['unused']);
  return {
    ...model,
    doStream(call) {
      const answers = call.prompt.filter(({ role }) => role === 'assistant').length;
      return scriptedModel([turns[answers] ?? 'No turn is left.']).doStream(call);
    },
  };
}

type Site = { prompt: PromptDefinition; notes: string[]; open(): void };

/** A prompt whose tools note what they do. `write` takes until `open` is called, or its process is gone. */
function createSite(turns: readonly ScriptedTurn[]): Site {
  const notes: string[] = [];
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const prompt = definePrompt(
    'desk',
    (desk) => {
      desk.$`Help.`;
      desk.defTool('look', 'Looks', z.object({}), () => {
        throw new Error('secret: postgres://db.internal');
      });
      desk.defTool(
        'write',
        'Writes',
        z.object({}),
        async () => {
          notes.push('write');
          await opened;
          return 'written';
        },
        { effect: 'read' },
      );
      desk.defTool(
        'send',
        'Sends',
        z.object({ to: z.string() }),
        ({ to }) => {
          notes.push(`send ${to}`);
          return 'sent';
        },
        { effect: 'external', needsApproval: true },
      );
    },
    { model: modelOf(turns) },
  );
  return { prompt, notes, open };
}

/** A run that waits for an approval, and whose worker has ended. */
async function waitingRun(): Promise<{
  site: Site;
  store: DurableStore;
  server: Server;
  seen: readonly RunEvent[];
  runId: string;
}> {
  const store = createMemoryStore();
  const site = createSite([sends, 'Sent.']);
  const server = createServer(site, store);
  const stop = await server.work();
  const seen = await readTo(
    client(server).start({ definition: site.prompt, input: undefined }, never()),
    'approval-request',
  );
  await stop();
  return { site, store, server, seen, runId: idOf(seen) };
}

function checkWhole(events: readonly RunEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
  expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
}

describe('a route whose runs are durable', () => {
  test('a run goes on in another process, and the attached reader sees every event once', async () => {
    const store = createMemoryStore();
    const site = createSite([writes, sends, 'Sent.']);
    const first = createServer(site, store);
    const stop = await first.work();
    const run = createRun(site.prompt, { executor: client(first) });
    const result = run.start();
    await expect.poll(() => site.notes, { timeout: 10_000 }).toEqual(['write']);
    // in the middle of the tool
    await stop();
    site.open();
    const second = createServer(site, store);
    await second.work();
    await expect.poll(() => run.getState().status, { timeout: 10_000 }).toBe('waiting');
    const { runId, approvals } = run.getState();
    const approvalId = approvals[0]?.approvalId ?? '';
    expect(
      await client(second).send(runId, {
        type: 'approval-response',
        approvalId,
        response: { approved: true },
      }),
    ).toEqual({ accepted: true });
    expect(await result).toBe('Sent.');
    expect(site.notes).toEqual(['write', 'write', 'send Ada']);
    const events = run.log();
    checkWhole(events);
    const attached = client(second).attach(runId, -1, never());
    expect(attached).toBeDefined();
    expect(await all(attached!)).toEqual(events);
    // an EventSource that reconnects after the end stops at a 204
    const after = ask('GET', `?run=${runId}`, { 'last-event-id': String(events.length - 1) });
    expect((await second.fetch()(after)).status).toBe(204);
  });

  test('an approval is answered while no worker is up, once, and only as its subject may', async () => {
    const { site, store, server, seen, runId } = await waitingRun();
    const { approvalId } = reduceAll(seen).approvals[0]!;
    const respond = (subject: string, response: object): Promise<Response> =>
      server.fetch(subject)(post({ type: 'approval-response', approvalId, response }, `?run=${runId}`));
    expect((await respond('bob', { approved: true })).status).toBe(404);
    const changed = await respond('ada', { approved: true, input: { to: 'Eve' } });
    expect(await changed.json()).toMatchObject({
      accepted: false,
      reason: expect.stringContaining('may not change'),
    });
    expect(await (await respond('ada', { approved: true })).json()).toEqual({ accepted: true });
    // sent again, because the client has not seen the answer
    expect(await (await respond('ada', { approved: true })).json()).toEqual({ accepted: true });
    expect(await (await respond('ada', { approved: false })).json()).toMatchObject({ accepted: false });
    expect(site.notes).toEqual([]);
    await createServer(site, store).work();
    const events = await all(client(server).attach(runId, -1, never())!);
    checkWhole(events);
    expect(reduceAll(events)).toMatchObject({ status: 'done', result: 'Sent.' });
    expect(site.notes).toEqual(['send Ada']);
  });

  test('a start that is sent again wakes its run, whose process was killed before it woke a worker', async () => {
    const store = createMemoryStore();
    const site = createSite(['Hello.']);
    const server = createServer(site, store);
    await server.work();
    // its own driver wakes no worker, as it works off nothing
    const killed = await createServer(site, store).fetch()(post({ key: 'one' }));
    await killed.body?.cancel();
    const again = await server.fetch()(post({ key: 'one' }));
    expect(again.headers.get('x-cueline-run')).toBe(killed.headers.get('x-cueline-run'));
    expect(await again.text()).toContain('"type":"run-end"');
  });

  test('a start that is sent again is refused while its run cannot be woken', async () => {
    const site = createSite(['Hello.']);
    const { durable, fetch } = createServer(site, createMemoryStore());
    const first = await fetch()(post({ key: 'one' }));
    await first.body?.cancel();
    durable.wake = () => Promise.reject(new Error('The engine is away.'));
    expect(await refusal(await fetch()(post({ key: 'one' })))).toMatchObject({ status: 503 });
    // a run that has ended needs no worker
    const { signal } = new AbortController();
    const runId = first.headers.get('x-cueline-run')!;
    while ((await durable.advance(runId, signal)).status === 'next');
    expect((await fetch()(post({ key: 'one' }))).status).toBe(200);
  });

  test('another subject finds nothing, nor does anyone find a run that no route has started', async () => {
    const store = createMemoryStore();
    const site = createSite([sends, 'Sent.']);
    const server = createServer(site, store);
    const response = await server.fetch()(post({ key: 'one' }));
    const runId = response.headers.get('x-cueline-run')!;
    await response.body?.cancel();
    const { runId: own } = await server.durable.begin({ definition: site.prompt, input: undefined });
    for (const [subject, id] of [
      ['bob', runId],
      ['ada', own],
    ] as const) {
      for (const method of ['GET', 'DELETE']) {
        expect(await refusal(await server.fetch(subject)(ask(method, `?run=${id}`)))).toMatchObject({
          status: 404,
          code: 'unknown_run',
        });
      }
    }
    // the same key is one run for one subject, and another for others
    const start = async (subject: string): Promise<string | null> => {
      const again = await server.fetch(subject)(post({ key: 'one' }));
      await again.body?.cancel();
      return again.headers.get('x-cueline-run');
    };
    expect(await start('ada')).toBe(runId);
    expect(await start('bob')).not.toBe(runId);
  });

  test('the same key with other messages is another run', async () => {
    const server = createServer(createSite([sends, 'Sent.']), createMemoryStore());
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }];
    const start = { prompt: 'desk', key: 'one' };
    const ids = [];
    for (const body of [start, { ...start, messages }, { ...start, messages }]) {
      const response = await server.fetch()(post(body));
      await response.body?.cancel();
      ids.push(response.headers.get('x-cueline-run'));
    }
    expect(ids[1]).not.toBe(ids[0]);
    expect(ids[2]).toBe(ids[1]);
  });

  test('hidden errors and requests are stored whole, and the model reads them in every process', async () => {
    const store = createMemoryStore();
    const site = createSite([looks, sends, 'Sent.']);
    const server = createServer(site, store);
    await server.work();
    const seen = await readTo(
      client(server).start({ definition: site.prompt, input: undefined }, never()),
      'approval-request',
    );
    const runId = idOf(seen);
    const { events } = (await store.read(runId, -1))!;
    expect(JSON.stringify(seen)).not.toContain('db.internal');
    // a tool's description is in the request
    expect(JSON.stringify(seen)).not.toContain('Looks');
    expect(JSON.stringify(events)).toContain('Looks');
    const requests = events.filter(({ type }) => type === 'step-start');
    expect(JSON.stringify(requests.at(-1))).toContain('db.internal');
    // a reader that comes later, and has the event with the error already
    const after = events.findIndex(({ type }) => type === 'tool-error');
    const late = await readTo(client(server).attach(runId, after, never())!, 'approval-request');
    expect(late).toEqual(seen.slice(after + 1));
    expect(late.length).toBeGreaterThan(0);
    const shown = createServer(site, store, { showErrors: true, showRequests: true });
    const whole = await readTo(client(shown).attach(runId, -1, never())!, 'approval-request');
    expect(whole).toEqual(events.slice(0, whole.length));
  });

  test('a reader waits for a store that cannot be read at first', async () => {
    const { site, store, runId, seen } = await waitingRun();
    let failures = 3;
    const server = createServer(site, {
      ...store,
      async read(id, afterSeq) {
        failures -= 1;
        if (failures >= 0) throw new Error('The store is unavailable.');
        return store.read(id, afterSeq);
      },
    });
    expect(await readTo(client(server).attach(runId, -1, never())!, 'approval-request')).toEqual(
      seen.slice(0, seen.findIndex(({ type }) => type === 'approval-request') + 1),
    );
    expect(failures).toBeLessThan(0);
  });

  test('a run is stopped while it waits and no worker is up', async () => {
    const { site, store, server, seen } = await waitingRun();
    expect((await server.fetch()(ask('DELETE', `?run=${idOf(seen)}`))).status).toBe(204);
    await createServer(site, store).work();
    const events = await all(client(server).attach(idOf(seen), -1, never())!);
    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    expect(site.notes).toEqual([]);
  });

  test('a stock chat reconnects to a run of a process that is gone', async () => {
    const store = createMemoryStore();
    const site = createSite([writes, 'Written.']);
    const first = createServer(site, store);
    const stop = await first.work();
    const transport = (server: Server): DefaultChatTransport<UIMessage> =>
      new DefaultChatTransport({
        api: address,
        fetch: ((url: string, init: RequestInit) => server.fetch()(new Request(url, init))) as typeof fetch,
      });
    const message: UIMessage = { id: '1', role: 'user', parts: [{ type: 'text', text: 'Write.' }] };
    const chunks = await transport(first).sendMessages({
      chatId: 'chat-1',
      trigger: 'submit-message',
      messageId: undefined,
      messages: [message],
      abortSignal: undefined,
    });
    await expect.poll(() => site.notes, { timeout: 10_000 }).toEqual(['write']);
    await stop();
    await chunks.cancel();
    site.open();
    const second = createServer(site, store);
    await second.work();
    const again = await transport(second).reconnectToStream({ chatId: 'chat-1' });
    const parts = await all(again!);
    const text = parts.flatMap((part) => (part.type === 'text-delta' ? part.delta : []));
    expect(text.join('')).toBe('Written.');
    expect(parts.filter(({ type }) => type === 'finish')).toHaveLength(1);
    expect(parts.filter(({ type }) => type === 'tool-output-available')).toHaveLength(1);
    expect(site.notes).toEqual(['write', 'write']);
  });

  test('a stock chat is asked for approval, and its answer reaches another process', async () => {
    const store = createMemoryStore();
    const site = createSite([sends, 'Sent.']);
    const first = createServer(site, store);
    const stop = await first.work();
    const chat = new TestChat(first);
    await chat.sendMessage({ text: 'Send it.' });
    await stop();
    const second = createServer(site, store);
    await second.work();
    const reloaded = new TestChat(second, { messages: chat.messages });
    const asked = reloaded.lastMessage?.parts.find((part) => part.type === 'tool-send');
    expect(asked).toMatchObject({ state: 'approval-requested', input: { to: 'Ada' } });
    const { approval } = asked as unknown as { approval: { id: string } };
    await reloaded.addToolApprovalResponse({ id: approval.id, approved: true });
    await expect
      .poll(() => reloaded.lastMessage?.parts.at(-1))
      .toMatchObject({ type: 'text', text: 'Sent.' });
    expect(reloaded.error).toBeUndefined();
    expect(reloaded.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(site.notes).toEqual(['send Ada']);
  });

  test('starts are counted per minute, and a repeated one is not', async () => {
    const site = createSite(['Hello.']);
    const server = createServer(site, createMemoryStore(), { limits: { rpm: 2 } });
    const statuses: number[] = [];
    for (const key of ['one', 'one', 'two', 'three']) {
      const response = await server.fetch()(post({ key }));
      statuses.push(response.status);
      await response.body?.cancel();
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test('what a durable run cannot hold is refused when the route is created', () => {
    const site = createSite(['Hello.']);
    const store = createMemoryStore();
    const make =
      (options: Partial<PromptRouteOptions>): (() => unknown) =>
      () =>
        createServer(site, store, options);
    expect(make({ limits: { dailyTokens: 1000, runMs: 1000 } })).toThrow('limits.dailyTokens, limits.runMs');
    expect(make({ options: { timeoutMs: 1000 } as never })).toThrow('timeoutMs');
    expect(make({ limits: { replayMs: 1 }, options: { maxRetries: 1 } })).toThrow(
      'limits.replayMs, options.maxRetries',
    );
    expect(make({ models: {}, fileUrls: () => true })).toThrow('fileUrls, models');
    expect(make({ model: scriptedModel(['x']) })).toThrow('model, as an object');
    const { durable } = createServer(site, store);
    const other = definePrompt('other', (prompt) => prompt.$`Hi.`);
    expect(() =>
      createPromptRoute(other, { durable, origins: [page], auth: async () => ({ subject: 'ada' }) }),
    ).toThrow('durable does not run "other"');
  });
});
