// What a client can do to a run before its first event has come, while the prompt function still works.
import { createRun, definePrompt, viaRoute } from '@cueline/core';
import { createMemoryRuns, type PromptRouteOptions } from '@cueline/edge';
import { expect, onTestFinished, test } from 'vitest';
import { address, ask, client, post, refusal, testRoute } from './routes.ts';

/** A route whose prompt function works until `go()`. */
function slowRoute(options: Partial<PromptRouteOptions> = {}) {
  let go = (): void => {};
  const ready = new Promise<void>((resolve) => (go = resolve));
  onTestFinished(go);
  const slow = definePrompt('slow', async (prompt) => {
    await ready;
    prompt.$`Go.`;
  });
  return { ...testRoute(['Hello.'], { definition: slow, ...options }), slow, go };
}

test('a run that is stopped before its first event ends at once on the server, and no model is called', async () => {
  const { slow, go, ...hub } = slowRoute();
  const run = createRun(slow, { executor: client(hub) });
  run.start().catch(() => {});
  await expect.poll(() => hub.asked).toHaveLength(1);
  run.stop();
  await expect.poll(() => hub.asked.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  await expect
    .poll(() => hub.events)
    .toContainEqual(expect.objectContaining({ type: 'run-end', outcome: 'stopped' }));
  go();
  expect(hub.model.calls).toEqual([]);
});

test('a run that is stopped while its start is on the way ends as soon as the route has named it', async () => {
  const { slow, ...hub } = slowRoute();
  let arrive = (): void => {};
  const underWay = new Promise<void>((resolve) => (arrive = resolve));
  const send = hub.fetch();
  const executor = viaRoute(address, {
    async fetch(request) {
      const response = await send(request);
      if (request.method === 'POST') await underWay;
      return response;
    },
  });
  const run = createRun(slow, { executor });
  run.start().catch(() => {});
  await expect.poll(() => hub.asked).toHaveLength(1);
  run.stop();
  expect(run.getState().status).toBe('stopped');
  arrive();
  await expect.poll(() => hub.asked.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  await expect
    .poll(() => hub.events)
    .toContainEqual(expect.objectContaining({ type: 'run-end', outcome: 'stopped' }));
});

test('a run whose page closes before its first event is found again by the key of its start', async () => {
  const { go, ...hub } = slowRoute();
  const start = { prompt: 'slow', key: 'draft-7' };
  const left = await hub.route(post(start));
  await left.body?.cancel();
  const again = await hub.route(post(start));
  expect(again.headers.get('x-cueline-run')).toBe(left.headers.get('x-cueline-run'));
  go();
  expect(await again.text()).toContain('"outcome":"done"');
  expect(hub.model.calls).toHaveLength(1);
});

/** A start whose client leaves while the store creates the run. */
async function leftStart(body: object) {
  const store = createMemoryRuns();
  const client = new AbortController();
  const hub = slowRoute({
    store: {
      ...store,
      async create(run) {
        client.abort();
        return store.create(run);
      },
    },
  });
  const response = await hub.route(new Request(post(body), { signal: client.signal }));
  return { ...hub, response };
}

test('a start without a key whose client is gone before the answer is stopped, because nothing could find it', async () => {
  const { response, events, model, go } = await leftStart({ prompt: 'slow' });
  expect(await refusal(response)).toMatchObject({ status: 499, code: 'client_closed' });
  await expect
    .poll(() => events)
    .toContainEqual(expect.objectContaining({ type: 'run-end', outcome: 'stopped' }));
  go();
  expect(model.calls).toEqual([]);
});

test('a start with a key whose client is gone before the answer continues, and is found by the key', async () => {
  const { response, route, go } = await leftStart({ prompt: 'slow', key: 'draft-8' });
  await response.body?.cancel();
  const again = await route(post({ prompt: 'slow', key: 'draft-8' }));
  expect(again.headers.get('x-cueline-run')).toBe(response.headers.get('x-cueline-run'));
  go();
  expect(await again.text()).toContain('"outcome":"done"');
});

test('a run whose client leaves once the answer has named it continues, and is found by its id', async () => {
  const { go, ...hub } = slowRoute();
  const left = await hub.route(post({ prompt: 'slow' }));
  await left.body?.cancel();
  go();
  const again = await hub.route(ask('GET', `?run=${left.headers.get('x-cueline-run')}`));
  expect(await again.text()).toContain('"outcome":"done"');
});
