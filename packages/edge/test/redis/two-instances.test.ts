import type { RunEvent, RunRequest } from '@cueline/core';
import { createRedisRuns } from '@cueline/edge/redis';
import { expect, test, vi } from 'vitest';
import { all, idOf, never } from '../route/routes.ts';
import { read } from '../stores/events.ts';
import { clientOf, instancesWith, type Instance, type InstanceOptions } from './instances.ts';
import { describeWithRedis } from './server.ts';

const request = (name: string): RunRequest => ({ definition: { name } as never, input: undefined });

/** A subject without runs, not even of an earlier attempt of the same test. */
const newSubject = (): string => crypto.randomUUID();

// processes start slowly on a machine that has other things to do
vi.setConfig({ testTimeout: 60_000 });

describeWithRedis('two instances that share Redis', (redis) => {
  const start = instancesWith(redis);
  const two = (limits: InstanceOptions['limits'] = {}): Promise<[Instance, Instance]> =>
    Promise.all([start({ limits }), start({ limits })]);

  test('a client continues at the other instance if its instance crashes', async () => {
    const [a, b] = await two();
    const alone = all(clientOf('eve', a).start(request('tell'), never()));
    const starting = clientOf('ada', a).start(request('tell'), never());
    const atA = collect(starting);
    await atA.until(5);
    const client = clientOf('ada', b, a);
    const watched = collect(client.attach(idOf(atA.events), -1, never()));
    await watched.until(20);
    await b.kill();
    const [seen, undisturbed] = await Promise.all([watched.all, alone]);
    expect(seqs(seen)).toEqual(undisturbed.map((_, index) => index));
    expect(likeAnyOther(seen)).toEqual(likeAnyOther(undisturbed));
    expect(seen).toEqual(await atA.all);
    expect(seen.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    // it was the other that it began with, and went on after what it had
    expect(client.asked[0]).toEqual({ url: b.url, method: 'GET', status: 200 });
    expect(client.asked.at(-1)).toEqual({ url: a.url, method: 'GET', status: 200 });
  });

  test('a run ends if its instance crashes, and its subject can start another', async () => {
    const [a, b] = await two({ quietMs: 500, concurrent: 1 });
    const subject = newSubject();
    const client = clientOf(subject, a, b);
    const watched = collect(client.start(request('tell'), never()));
    await watched.until(20);
    await a.kill();
    const killed = performance.now();
    const seen = await watched.all;
    expect(performance.now() - killed).toBeLessThan(10_000);
    expect(seqs(seen)).toEqual(seen.map((_, index) => index));
    expect(seen.length).toBeGreaterThan(20);
    expect(seen.at(-1)).toMatchObject({
      type: 'run-end',
      outcome: 'error',
      error: { code: 'interrupted' },
    });
    // what was written down, all of it
    const store = createRedisRuns(await redis.connect());
    expect(await all(read(store, idOf(seen), -1, never()))).toEqual(seen);
    const again = collect(clientOf(subject, b).start(request('tell'), never()));
    await again.until(5);
    expect(again.events[0]).toMatchObject({ type: 'run-start' });
  });

  test('all readers see the same end if an instance freezes and returns after it was assumed dead', async () => {
    const [a, b] = await two({ quietMs: 500, concurrent: 1 });
    const subject = newSubject();
    const atA = collect(clientOf(subject, a).start(request('tell'), never()));
    await atA.until(15);
    const atB = collect(clientOf(subject, b).attach(idOf(atA.events), -1, never()));
    await atB.until(15);
    a.freeze();
    const log = await atB.all;
    expect(log.at(-1)).toMatchObject({ type: 'run-end', error: { code: 'interrupted' } });
    a.thaw();
    expect(await atA.all).toEqual(log);
    for (const instance of [a, b]) {
      expect(await all(clientOf(subject, instance).attach(idOf(log), -1, never()))).toEqual(log);
    }
    const again = collect(clientOf(subject, a).start(request('tell'), never()));
    await again.until(5);
  });

  test('a run can be stopped and answered at the other instance', async () => {
    const [a, b] = await two();
    const [here, there] = [clientOf('ida', a), clientOf('ida', b)];
    const stopped = collect(here.start(request('tell'), never()));
    await stopped.until(10);
    const stop = new AbortController();
    const stopping = collect(there.attach(idOf(stopped.events), -1, stop.signal));
    await stopping.until(5);
    stop.abort();
    expect((await stopped.all).at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
    expect(there.asked).toContainEqual(expect.objectContaining({ url: b.url, method: 'DELETE' }));

    const asking = collect(here.start(request('send'), never()));
    const requested = await asking.find('approval-request');
    const { approvalId } = requested;
    const runId = idOf(asking.events);
    const answer = { type: 'approval-response', approvalId, response: { approved: true } } as const;
    expect(await there.send(runId, answer)).toEqual({ accepted: true });
    expect(await there.send(runId, { ...answer, approvalId: 'never' })).toMatchObject({ accepted: false });
    const log = await asking.all;
    expect(log).toContainEqual(expect.objectContaining({ type: 'tool-end', output: 'sent to Bob' }));
    expect(log.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(await all(there.attach(runId, -1, never()))).toEqual(log);
    // and it belongs to no other subject
    const stranger = clientOf('eve', b);
    await expect(all(stranger.attach(runId, -1, never()))).rejects.toThrow('This run does not exist');
  });

  test('no event is lost or repeated if Redis is away for two seconds', async () => {
    const [a, b] = await two();
    const atA = collect(clientOf('uma', a).start(request('tell'), never()));
    await atA.until(10);
    const client = clientOf('uma', b);
    const atB = collect(client.attach(idOf(atA.events), -1, never()));
    await atB.until(15);
    await redis.kill();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await redis.start();
    const log = await atA.all;
    expect(log.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
    expect(seqs(log)).toEqual(log.map((_, index) => index));
    const texts = log.filter((event) => event.type === 'text-delta').map((event) => event.text);
    expect(texts.join('')).toBe(Array.from({ length: 60 }, (_, index) => `word ${index}, `).join(''));
    expect(await atB.all).toEqual(log);
    const store = createRedisRuns(await redis.connect());
    expect(await all(read(store, idOf(log), -1, never()))).toEqual(log);
  });
});

/** Reads on, and lets a test wait until something has come. */
function collect(iterable: AsyncIterable<RunEvent>) {
  const events: RunEvent[] = [];
  let wake = (): void => {};
  const whole = (async () => {
    for await (const event of iterable) {
      events.push(event);
      wake();
    }
    return events;
  })();
  whole.catch(() => {});
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await Promise.race([new Promise<void>((resolve) => (wake = resolve)), whole]);
  };
  return {
    events,
    all: whole,
    until: (count: number) => until(() => events.length >= count),
    async find<Type extends RunEvent['type']>(type: Type): Promise<Extract<RunEvent, { type: Type }>> {
      const found = (): RunEvent | undefined => events.find((event) => event.type === type);
      await until(() => found() !== undefined);
      return found() as Extract<RunEvent, { type: Type }>;
    },
  };
}

function seqs(events: readonly RunEvent[]): number[] {
  return events.map(({ seq }) => seq);
}

/** Without what is of one run alone. */
function likeAnyOther(events: readonly RunEvent[]): unknown[] {
  return events.map((event) => ({ ...event, t: 0, runId: '', messageId: '' }));
}
