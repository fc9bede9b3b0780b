import type { RunEvent } from '@cueline/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEventSource } from '../../route/sse.ts';
import { callTool, talk, type Talk } from '../provider.ts';
import { as, ask, newSubject } from '../send-request.ts';
import { key, type Tried } from '../served-app.ts';

/** A run as it comes over one connection. */
type Watched = {
  response: Response;
  runId: string;
  /** Every event so far, and its `id`. */
  events: RunEvent[];
  ids: number[];
  /** Reads on until an event of this type has come. */
  to(type: RunEvent['type']): Promise<RunEvent>;
  leave(): void;
};

/** Prompts run on the server, and later requests find them. */
export function checkRoute(tried: Tried): void {
  async function watch(given: Parameters<typeof ask>[1]): Promise<Watched> {
    const caller = new AbortController();
    const response = await ask(tried, { signal: caller.signal, path: '', ...given });
    stopWhenFinished(response, given);
    onTestFinished(() => caller.abort());
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const source = createEventSource(response.body!);
    const events: RunEvent[] = [];
    const ids: number[] = [];
    return {
      response,
      runId: response.headers.get('x-cueline-run')!,
      events,
      ids,
      async to(type) {
        for (;;) {
          const { done, value } = await source.next();
          if (done === true) throw new Error(`No ${type} came after ${JSON.stringify(events)}.`);
          if ('comment' in value) continue;
          const event = value.data as RunEvent;
          events.push(event);
          ids.push(Number(value.id));
          if (event.type === type) return event;
        }
      },
      leave: () => caller.abort(),
    };
  }

  /** Stops a run that a test has left in progress: it would take a slot, and its model, from the next test. */
  function stopWhenFinished({ headers }: Response, given: Parameters<typeof ask>[1]): void {
    const runId = headers.get('x-cueline-run');
    if (runId === null) return;
    onTestFinished(async () => {
      await (await ask(tried, { ...given, path: `?run=${runId}`, method: 'DELETE' })).text();
    });
  }

  /** The next run of a model that says what the test wants. */
  function model(): { talks: Talk[] } {
    const talks: Talk[] = [];
    tried.upstream.answer((response) => talks.push(talk(response)));
    return { talks };
  }

  const textOf = (events: readonly RunEvent[]): string =>
    events.flatMap((event) => (event.type === 'text-delta' ? event.text : [])).join('');
  const greet = { at: 'greet', body: { input: { name: 'Ada' } } };
  const at = (runId: string): { at: string; path: string } => ({ at: 'greet', path: `?run=${runId}` });

  /** A run of which the client has these first words of the model. */
  async function begin(words: string): Promise<Talk & { run: Watched }> {
    const { talks } = model();
    const run = await watch(greet);
    await run.to('step-start');
    await expect.poll(() => talks.length).toBe(1);
    talks[0]!.say(words);
    await run.to('text-delta');
    return { ...talks[0]!, run };
  }

  test('a run streams live, each event with its number', async () => {
    const { run, say, end } = await begin('Hello');
    expect(run.events.at(-1)).toMatchObject({ type: 'text-delta', text: 'Hello' });
    say(' Ada.');
    end();
    expect(await run.to('run-end')).toMatchObject({ outcome: 'done' });
    expect([textOf(run.events), run.ids]).toEqual(['Hello Ada.', run.events.map((_event, seq) => seq)]);
    expect(tried.upstream.seen).toMatchObject([
      { path: '/v1/responses', headers: { authorization: `Bearer ${key}` } },
    ]);
    expect(JSON.stringify([run.events, ...run.response.headers])).not.toContain(key);
  });

  test('continues when its client disconnects, and is resumed', async () => {
    const { run: first, say, end } = await begin('One');
    first.leave();
    // until the runtime has noticed
    await new Promise((resolve) => setTimeout(resolve, 300));
    say(' two');
    const last = first.ids.at(-1)!;
    const second = await watch({
      ...at(first.runId),
      method: 'GET',
      headers: { 'last-event-id': `${last}` },
    });
    expect(second.runId).toBe(first.runId);
    expect(await second.to('text-delta')).toMatchObject({ text: ' two' });
    say(' three');
    end();
    await second.to('run-end');
    expect(textOf([...first.events, ...second.events])).toBe('One two three');
    expect([...first.ids, ...second.ids]).toEqual([...first.ids, ...second.ids].map((_id, index) => index));
    // and a reader after its end gets all of it
    const third = await watch({ ...at(first.runId), method: 'GET' });
    await third.to('run-end');
    expect(third.events).toEqual([...first.events, ...second.events]);
  });

  test('can be watched by two clients', async () => {
    const { talks } = model();
    const first = await watch(greet);
    await first.to('step-start');
    const second = await watch({ ...at(first.runId), method: 'GET' });
    await second.to('step-start');
    await expect.poll(() => talks.length).toBe(1);
    talks[0]!.say('Both');
    expect(
      (await Promise.all([first.to('text-delta'), second.to('text-delta')])).map((e) => textOf([e])),
    ).toEqual(['Both', 'Both']);
    talks[0]!.end();
    await Promise.all([first.to('run-end'), second.to('run-end')]);
    expect(second.events).toEqual(first.events);
  });

  test('is stopped with its model call by a DELETE request', async () => {
    const { run } = await begin('Never');
    const stopped = await ask(tried, { ...at(run.runId), method: 'DELETE' });
    expect(stopped.status).toBe(204);
    expect(await run.to('run-end')).toMatchObject({ outcome: 'stopped' });
    await expect.poll(() => tried.upstream.seen[0]!.closedAt).toBeDefined();
  });

  test('is stopped after its client has disconnected', async () => {
    const { run } = await begin('Never');
    run.leave();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await ask(tried, { ...at(run.runId), method: 'DELETE' })).status).toBe(204);
    await expect.poll(() => tried.upstream.seen[0]!.closedAt).toBeDefined();
    const after = await watch({ ...at(run.runId), method: 'GET' });
    expect(await after.to('run-end')).toMatchObject({ outcome: 'stopped' });
  });

  test('can be answered by another request', async () => {
    let turn = 0;
    tried.upstream.answer((response) => {
      turn += 1;
      if (turn === 1) callTool(response, 'send', { to: 'Bob' });
      else {
        const { say, end } = talk(response);
        say('Done.');
        end();
      }
    });
    const run = await watch(greet);
    const open = await run.to('approval-request');
    if (open.type !== 'approval-request') throw new Error('Nothing was asked.');
    const answer = (approvalId: string): Promise<Response> =>
      ask(tried, {
        ...at(run.runId),
        body: { type: 'approval-response', approvalId, response: { approved: true } },
      });
    const wrong = await answer('nothing');
    expect([wrong.status, await wrong.json()]).toEqual([
      200,
      { accepted: false, reason: expect.stringContaining('There is no approval nothing') },
    ]);
    const right = await answer(open.approvalId);
    expect([right.status, await right.json()]).toEqual([200, { accepted: true }]);
    expect(await run.to('run-end')).toMatchObject({ outcome: 'done' });
    expect(run.events.find((event) => event.type === 'tool-end')).toMatchObject({ output: 'sent to Bob' });
    expect(textOf(run.events)).toBe('Done.');
    const late = await answer(open.approvalId);
    expect(await late.json()).toEqual({ accepted: false, reason: 'The run is not in progress.' });
  });

  test("answers the AI SDK's chat with its own stream", async () => {
    const { talks } = model();
    const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
    const given = { at: 'talk', path: '', body: { id: 'chat', trigger: 'submit-message', messages } };
    const response = await ask(tried, given);
    stopWhenFinished(response, given);
    expect([response.status, response.headers.get('x-vercel-ai-ui-message-stream')]).toEqual([200, 'v1']);
    const source = createEventSource(response.body!);
    const text: string[] = [];
    await expect.poll(() => talks.length).toBe(1);
    talks[0]!.say('Hello');
    let spoken = false;
    for await (const event of source) {
      const chunk = 'data' in event ? (event.data as { type?: string; delta?: string }) : {};
      if (chunk.type === 'text-delta') text.push(chunk.delta!);
      if (text.length > 0 && !spoken) {
        spoken = true;
        talks[0]!.say(' you.');
        talks[0]!.end();
      }
    }
    expect(text.join('')).toBe('Hello you.');
  });

  describe('refuses', () => {
    test.each<[number, string, string, Parameters<typeof ask>[1]]>([
      [400, 'invalid_query', 'a GET of nothing', { method: 'GET' }],
      [400, 'unsupported_field', 'a model of the client', { body: { input: {}, model: 'x:y' } }],
      [401, 'unauthorized', 'nobody', { headers: { authorization: undefined } }],
      [403, 'origin_denied', 'another page', { headers: { origin: 'https://evil.example' } }],
      [404, 'unknown_prompt', 'another prompt', { body: { prompt: 'other' } }],
      [404, 'unknown_run', 'an unknown run', { path: '?run=run-x', method: 'GET' }],
      [405, 'method_not_allowed', 'PUT', { method: 'PUT' }],
      // short enough to be sent at once: workerd closes the connection of a refused body before it has read all of it
      [413, 'too_large', 'a long body', { at: 'route-small', body: { input: { name: 'x'.repeat(4_000) } } }],
      [415, 'unsupported_media_type', 'a form', { headers: { 'content-type': 'text/plain' } }],
      [500, 'internal', 'what the server fails at', { at: 'route-broken', body: { messages: [] } }],
      [503, 'unavailable', 'where the limits are down', { at: 'route-down', body: { messages: [] } }],
    ])('%i %s: %s', async (status, code, _what, given) => {
      tried.upstream.answer((response) => response.end());
      const response = await ask(tried, { at: 'greet', path: '', body: {}, ...given });
      const text = await response.text();
      expect([response.status, JSON.parse(text)]).toEqual([
        status,
        { error: { code, message: expect.any(String) } },
      ]);
      expect(text).not.toContain('sk-secret');
      expect(tried.upstream.seen).toEqual([]);
    });

    test('404 unknown_run: the run of another subject, which is not stopped', async () => {
      const { talks } = model();
      const run = await watch(greet);
      await run.to('step-start');
      const headers = { authorization: 'Bearer eve' };
      const body = { type: 'approval-response', approvalId: 'x', response: { approved: true } };
      for (const method of ['GET', 'POST', 'DELETE']) {
        expect((await ask(tried, { ...at(run.runId), method, headers, body })).status).toBe(404);
      }
      await expect.poll(() => talks.length).toBe(1);
      talks[0]!.end();
      expect(await run.to('run-end')).toMatchObject({ outcome: 'done' });
    });

    test('429 rate_limited: a second run in a minute', async () => {
      const { talks } = model();
      const given = { at: 'route-rare', path: '', headers: as(newSubject()), body: { prompt: 'talk' } };
      const first = await watch(given);
      await expect.poll(() => talks.length).toBe(1);
      talks[0]!.end();
      await first.to('run-end');
      const second = await ask(tried, given);
      expect([second.status, Number(second.headers.get('retry-after')) > 50]).toEqual([429, true]);
    });
  });
}
