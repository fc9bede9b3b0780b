import { createRun } from '@cueline/core';
import { createMemoryStore } from '@cueline/durable';
import { createKillSwitch, createRunGuard, type PromptRouteEvent, type RunGuardOptions } from '@cueline/edge';
import { describe, expect, test } from 'vitest';
import { approve, createSite, endOf, looks, request, runIdOf, says, sends, start } from './durable-desk.ts';
import { createServer } from './durable-server.ts';
import { ask, client, endless, idOf, never, readTo, refusal } from './routes.ts';

describe('the kill switch and the events of durable runs', () => {
  test('the kill switch refuses starts, and ends a run before its next call', async () => {
    const killSwitch = createKillSwitch();
    const guard = createRunGuard({ killSwitch });
    const site = createSite([looks, says]);
    const server = createServer(site, createMemoryStore(), { guard });
    site.onLook.run = () => (killSwitch.turnOn(), 'seen');
    const runId = runIdOf(await start(server, 'one'));
    await server.work();
    expect(await endOf(server, runId)).toMatchObject({ outcome: 'error', error: { code: 'interrupted' } });
    expect(site.calls).toEqual(['call 0']);
    expect(await refusal(await start(server, 'two'))).toMatchObject({ status: 503, code: 'unavailable' });
    killSwitch.turnOff();
    expect((await start(server, 'two')).status).toBe(200);
  });

  test('the kill switch ends calls in progress', async () => {
    const killSwitch = createKillSwitch();
    const events: PromptRouteEvent[] = [];
    const guard = createRunGuard({ killSwitch, onEvent: (event) => void events.push(event) });
    const site = createSite([endless]);
    const server = createServer(site, createMemoryStore(), { guard });
    const runId = runIdOf(await start(server, 'one'));
    await server.work();
    await expect.poll(() => site.calls).toHaveLength(1);
    killSwitch.turnOn({ stopRuns: true });
    expect(await endOf(server, runId)).toMatchObject({ outcome: 'error', error: { code: 'interrupted' } });
    await expect.poll(() => events.map(({ type }) => type)).toContain('model-call');
    expect(events).toContainEqual(expect.objectContaining({ type: 'model-call', basis: 'reserved' }));
  });

  test('starts, model calls and ends are reported once, whichever process has them', async () => {
    const events: PromptRouteEvent[] = [];
    const prices = { 'simulated:scripted': { input: 1_000, output: 10_000 } };
    const options: RunGuardOptions = { prices, onEvent: (event) => void events.push(event) };
    const store = createMemoryStore();
    const site = createSite([sends, says]);
    const first = createServer(site, store, { guard: createRunGuard(options) });
    const stop = await first.work();
    const seen = await readTo(client(first).start(request(site), never()), 'approval-request');
    await stop();
    const second = createServer(site, store, { guard: createRunGuard(options) });
    await approve(second, seen);
    await second.work();
    await endOf(second, idOf(seen));
    const about = { runId: idOf(seen), subject: 'ada', prompt: 'desk' };
    const call = { type: 'model-call', ...about, inputTokens: 900, outputTokens: 100, cost: 1.9 };
    await expect.poll(() => events).toHaveLength(4);
    expect(events).toMatchObject([
      { type: 'run-start', ...about },
      call,
      call,
      { type: 'run-end', ...about, outcome: 'done', tokens: 2_000, cost: 3.8 },
    ]);
  });

  test('reasoning that the reported output does not contain is in the end of a run, too', async () => {
    const events: PromptRouteEvent[] = [];
    const guard = createRunGuard({ onEvent: (event) => void events.push(event) });
    // as xAI reports it in Chat Completions
    const usage = { inputTokens: 307, outputTokens: 26, reasoningTokens: 227 };
    const server = createServer(createSite([['Done.', { finish: { usage } }]]), createMemoryStore(), {
      guard,
    });
    const runId = runIdOf(await start(server, 'one'));
    await server.work();
    await endOf(server, runId);
    await expect.poll(() => events).toHaveLength(3);
    const counts = { inputTokens: 307, outputTokens: 253 };
    expect(events).toMatchObject([
      { type: 'run-start' },
      { type: 'model-call', ...counts },
      { type: 'run-end', tokens: 560, usage: [counts] },
    ]);
  });

  test('an approval of a run that was stopped is refused, and nothing runs', async () => {
    const site = createSite([sends, says]);
    const server = createServer(site, createMemoryStore(), {
      guard: createRunGuard({ limits: { concurrent: 1 } }),
    });
    const run = createRun(site.prompt, { executor: client(server) });
    run.start().catch(() => {});
    await server.work();
    await expect.poll(() => run.getState().status).toBe('waiting');
    const { runId } = run.getState();
    expect((await server.fetch()(ask('DELETE', `?run=${runId}`))).status).toBe(204);
    expect(await endOf(server, runId)).toMatchObject({ outcome: 'stopped' });
    expect(await approve(server, run.log())).toMatchObject({ accepted: false });
    expect(site.calls).toEqual(['call 0']);
    expect((await start(server, 'two')).status).toBe(200);
  });
});
