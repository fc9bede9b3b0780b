import { createKillSwitch, createMemoryLimits } from '@cueline/edge';
import { expect, test, vi } from 'vitest';
import { ask as askProxy, chatBody, fixture, parts, refused, sse } from '../proxy/support.ts';
import { all, ask, client, endless, greet, looks, never, post, refusal, sends, testRoute } from './routes.ts';

const request = { definition: greet, input: { name: 'Ada' } };
const off = { status: 503, code: 'unavailable' };

test('the kill switch refuses runs and calls until it is turned off', async () => {
  const killSwitch = createKillSwitch();
  const hub = testRoute(['Hi.', 'Hi again.'], { killSwitch });
  const { proxy, sent } = fixture(() => Response.json({}), { killSwitch });
  await all(client(hub).start(request, never()));
  killSwitch.turnOn();
  expect(killSwitch.isOn).toBe(true);
  expect(await refusal(await hub.route(post({ input: {} })))).toMatchObject({
    ...off,
    message: 'This server makes no model calls at the moment. Try again later.',
  });
  expect(await refused(proxy(askProxy()))).toEqual(off);
  expect([hub.model.calls.length, sent.length]).toEqual([1, 0]);
  killSwitch.turnOff();
  await all(client(hub).start(request, never()));
  expect((await proxy(askProxy())).status).toBe(200);
});

test('a run in progress makes no further call once the switch is on', async () => {
  const killSwitch = createKillSwitch();
  const hub = testRoute([sends, 'Never said.'], { killSwitch, options: { approval: true } });
  let approvalId = '';
  const run = client(hub).start(request, never())[Symbol.asyncIterator]();
  let last;
  let runId = '';
  for (;;) {
    const { done, value } = await run.next();
    if (done === true) break;
    last = value;
    if (value.type === 'run-start') ({ runId } = value);
    if (value.type !== 'approval-request') continue;
    ({ approvalId } = value);
    killSwitch.turnOn();
    // what belongs to a run in progress is heard all the same
    await client(hub).send(runId, { type: 'approval-response', approvalId, response: { approved: true } });
  }
  expect(last).toMatchObject({ type: 'run-end', outcome: 'error', error: { code: 'interrupted' } });
  expect(hub.model.calls).toHaveLength(1);
});

test('running runs end when the switch is turned on, at their full price', async () => {
  const killSwitch = createKillSwitch();
  const hub = testRoute([endless], { killSwitch, limits: { maxOutputTokens: 700 } });
  const fixed = fixture(() => new Response(parts([], 'hang'), sse), { killSwitch });
  const call = await fixed.proxy(askProxy({ body: { ...chatBody, stream: true } }));
  const response = await hub.route(post({ input: {} }));
  await expect.poll(() => hub.model.calls.length).toBe(1);
  killSwitch.turnOn({ stopRuns: true });
  const text = await response.text();
  expect(text).toContain('"outcome":"error"');
  expect(text).toContain('"code":"interrupted"');
  expect(hub.model.calls[0]?.abortSignal?.aborted).toBe(true);
  expect(hub.events).toContainEqual(expect.objectContaining({ type: 'model-call', basis: 'reserved' }));
  // the caller of a proxy reads why, too
  expect(await call.text()).toMatch(
    /^event: proxy-error\ndata: .*"code":"unavailable","message":"This server makes/,
  );
  expect(fixed.events.at(-1)).toMatchObject({ type: 'end', outcome: 'unavailable' });
  expect(fixed.store[1]).toBe(fixed.store[0]?.replace('reserve', 'settle'));
  // runs that have ended are not held on to
  expect((await hub.route(ask('DELETE', `?run=${response.headers.get('x-cueline-run')}`))).status).toBe(204);
});

test.each(['its body arrives', 'its tokens are reserved'])(
  'a call is not made if the switch is turned on while %s',
  async (when) => {
    const killSwitch = createKillSwitch();
    const limits = createMemoryLimits();
    const store: typeof limits = {
      ...limits,
      reserve(call) {
        if (when === 'its tokens are reserved') killSwitch.turnOn();
        return limits.reserve(call);
      },
    };
    const { proxy, sent, events, store: asked } = fixture(undefined, { killSwitch, store });
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          if (when === 'its body arrives') killSwitch.turnOn({ stopRuns: true });
          controller.enqueue(new TextEncoder().encode(JSON.stringify(chatBody)));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    expect(await refused(proxy(askProxy({ body })))).toEqual(off);
    expect([sent, asked.at(-1)]).toEqual([[], 'settle 0']);
    expect(events.at(-1)).toMatchObject({ type: 'refused', code: 'unavailable' });
  },
);

test.each([
  ['that returns true', () => true],
  ['that resolves to true', async () => true],
  ['that throws', () => Promise.reject(new Error('down'))],
])('a function %s also refuses', async (_, killSwitch) => {
  const hub = testRoute([], { killSwitch });
  const { proxy, sent } = fixture(undefined, { killSwitch });
  expect(await refusal(await hub.route(post({ input: {} })))).toMatchObject(off);
  expect(await refused(proxy(askProxy()))).toEqual(off);
  expect([hub.model.calls, sent]).toEqual([[], []]);
});

test('a function is called before each model call of a run', async () => {
  const killSwitch = vi.fn(() => false);
  const hub = testRoute([looks, 'Never said.'], { killSwitch });
  killSwitch.mockReturnValueOnce(false).mockReturnValueOnce(false).mockReturnValueOnce(true);
  const log = await all(client(hub).start(request, never()));
  expect(log.at(-1)).toMatchObject({ outcome: 'error', error: { code: 'interrupted' } });
  expect(hub.model.calls).toHaveLength(1);
});
