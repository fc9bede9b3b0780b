// What a client can do to a run before its first event has come, while the prompt function still works.
import { createRun, definePrompt, viaRoute } from '@cueline/core';
import { expect, onTestFinished, test } from 'vitest';
import { address, client, post, testRoute } from './routes.ts';

/** A route whose prompt function works until `go()`. */
function slowRoute() {
  let go = (): void => {};
  const ready = new Promise<void>((resolve) => (go = resolve));
  onTestFinished(go);
  const slow = definePrompt('slow', async (prompt) => {
    await ready;
    prompt.$`Go.`;
  });
  return { ...testRoute(['Hello.'], { definition: slow }), slow, go };
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
