import type { RunEvent } from '@cueline/core';
import type { ClaimedRun, DurableStore } from '@cueline/durable';
import { expect, test } from 'vitest';
import { commandOf } from '../../src/decide-command.ts';

const start = { prompt: 'planDay', input: { city: 'Faro' } };

function event(seq: number, body: object = { type: 'warning', message: `event ${seq}` }): RunEvent {
  return { seq, t: seq, ...body } as RunEvent;
}

const end = (seq: number): RunEvent => event(seq, { type: 'run-end', outcome: 'done' });

/** Claims a run that has not ended. */
export async function claim(store: DurableStore, runId: string): Promise<ClaimedRun> {
  const claimed = await store.claim(runId, -1);
  if (typeof claimed !== 'object') throw new Error(`The run ${runId} cannot be claimed.`);
  return claimed;
}

/**
 * The tests that every store has to pass. All stores of `open` have the same content. `openCutOff` returns such a
 * store whose client fails after some number of commands, as if its process had ended.
 */
export function testStore(
  name: string,
  open: () => Promise<DurableStore>,
  openCutOff?: (commands: number) => Promise<DurableStore>,
): void {
  let count = 0;
  const newId = (): string => `run-${name}-${(count += 1)}`;
  async function createRun(store: DurableStore): Promise<string> {
    const runId = newId();
    await store.create({ runId, start });
    return runId;
  }

  test(`${name}: a run is created once for each key`, async () => {
    const store = await open();
    const [one, two] = [newId(), newId()];
    expect(await store.create({ runId: one, key: `key ${one}`, start })).toBe('created');
    expect(await store.create({ runId: two, key: `key ${one}`, start })).toEqual({ runId: one });
    expect(await store.create({ runId: two, start })).toBe('created');
    expect(await store.create({ runId: two, start })).toEqual({ runId: two });
    expect(await store.claim(one, -1)).toMatchObject({ start, events: [], commands: [] });
    expect(await store.claim('no such run', -1)).toBeUndefined();
    expect(await store.read('no such run', -1)).toBeUndefined();
  });

  test(`${name}: a start with a new key and the id of another run is refused, and changes nothing`, async () => {
    const store = await open();
    const [one, two, three] = [newId(), newId(), newId()];
    const other = { prompt: 'other', input: 1 };
    await store.create({ runId: one, key: `key ${one}`, start });
    await store.create({ runId: two, start });
    const key = `key ${three}`;
    for (const runId of [one, two]) {
      await expect(store.create({ runId, key, start: other })).rejects.toThrow(
        'another run already has this id',
      );
      expect(await store.find({ key })).toBeUndefined();
      expect(await store.claim(runId, -1)).toMatchObject({ epoch: 1, start });
    }
    expect(await store.create({ runId: three, key, start: other })).toBe('created');
    expect(await store.find({ key })).toMatchObject({ runId: three });
    // a repeated start is harmless, also without its key
    expect(await store.create({ runId: one, key: `key ${one}`, start })).toEqual({ runId: one });
    expect(await store.create({ runId: one, start })).toEqual({ runId: one });
  });

  test.skipIf(openCutOff === undefined)(
    `${name}: a refused start that is cut off after any command does not take its key`,
    async () => {
      let isRefused = false;
      for (let commands = 0; !isRefused; commands += 1) {
        const [one, two] = [newId(), newId()];
        const key = `key ${two}`;
        await (await open()).create({ runId: one, start });
        const cutOff = await openCutOff!(commands);
        isRefused = await cutOff.create({ runId: one, key, start }).then(
          () => expect.unreachable('The start is not refused.'),
          (error: Error) => error.message.includes('another run already has this id'),
        );
        const store = await open();
        expect(await store.find({ key }), `after ${commands} commands`).toBeUndefined();
        expect(await store.create({ runId: two, key, start }), `after ${commands} commands`).toBe('created');
        expect(await store.find({ key })).toMatchObject({ runId: two });
      }
    },
  );

  test(`${name}: a run is found by its id, by its key, and as the latest run of a user's conversation`, async () => {
    const store = await open();
    const [one, two, three] = [newId(), newId(), newId()];
    const subject = `subject of ${one}`;
    const owner = { subject, chat: 'chat-1' };
    await store.create({ runId: one, key: `key ${one}`, start: { ...start, owner } });
    await store.create({ runId: two, start: { ...start, owner } });
    await store.create({
      runId: three,
      start: { ...start, owner: { subject: `other than ${one}`, chat: 'chat-1' } },
    });
    expect(await store.find({ runId: one })).toEqual({
      runId: one,
      prompt: 'planDay',
      owner,
      length: 0,
      endSeq: undefined,
    });
    expect(await store.find({ key: `key ${one}` })).toMatchObject({ runId: one });
    expect(await store.find({ subject, chat: 'chat-1' })).toMatchObject({ runId: two });
    expect(await store.find({ subject, chat: 'chat-2' })).toBeUndefined();
    expect(await store.find({ runId: 'no such run' })).toBeUndefined();
    const claimed = await claim(store, two);
    await store.append(two, claimed.epoch, [event(0)]);
    expect(await store.find({ runId: two })).toMatchObject({ length: 1, endSeq: undefined });
    await store.append(two, claimed.epoch, [end(1)]);
    expect(await store.find({ runId: two })).toMatchObject({ length: 2, endSeq: 1 });
  });

  test.skipIf(openCutOff === undefined)(
    `${name}: a start that is cut off after any command is stored as a whole, or by the next start with its key`,
    async () => {
      let isWhole = false;
      for (let commands = 0; !isWhole; commands += 1) {
        const [first, second] = [newId(), newId()];
        const key = `key ${first}`;
        const owner = { subject: `subject of ${first}`, chat: 'chat-1' };
        const cutOff = await openCutOff!(commands);
        isWhole = await cutOff.create({ runId: first, key, start: { ...start, owner } }).then(
          () => true,
          () => false,
        );
        const store = await open();
        const isKnown = (await store.find({ key })) !== undefined;
        // a conversation has no run that does not exist
        expect((await store.find(owner)) !== undefined, `after ${commands} commands`).toBe(isKnown);
        // a route looks for the key first
        if (!isKnown) await store.create({ runId: second, key, start: { ...start, owner } });
        const found = await store.find({ key });
        expect(found).toMatchObject({ owner, endSeq: undefined });
        expect(await store.find(owner), `after ${commands} commands`).toEqual(found);
        expect(await store.unfinished()).toContain(found?.runId);
        expect(await store.claim(found!.runId, -1)).toMatchObject({ epoch: 1 });
      }
    },
  );

  test(`${name}: a start with the key of another user's run does not add that run to a conversation`, async () => {
    const store = await open();
    const [one, two, three] = [newId(), newId(), newId()];
    const ada = { subject: `ada ${one}`, chat: 'chat-1' };
    const bob = { subject: `bob ${one}`, chat: 'chat-1' };
    await store.create({ runId: one, key: `key ${one}`, start: { ...start, owner: ada } });
    await store.create({ runId: two, start: { ...start, owner: bob } });
    const again = await store.create({ runId: three, key: `key ${one}`, start: { ...start, owner: bob } });
    expect(again).toEqual({ runId: one });
    expect(await store.find(bob)).toMatchObject({ runId: two, owner: bob });
    expect(await store.find(ada)).toMatchObject({ runId: one, owner: ada });
  });

  test(`${name}: events are stored in order, and a batch as a whole or not at all`, async () => {
    const store = await open();
    const runId = await createRun(store);
    const { epoch } = await claim(store, runId);
    expect(await store.append(runId, epoch, [event(0), event(1)])).toBe(true);
    expect(await store.append(runId, epoch, [])).toBe(true);
    expect(await store.append(runId, epoch, [event(3)])).toBe(false);
    expect(await store.append(runId, epoch, [event(1), event(2)])).toBe(false);
    expect(await store.append(runId, epoch, [event(2)])).toBe(true);
    expect(await store.read(runId, 0)).toEqual({ events: [event(1), event(2)], ended: false });
    expect(await (await open()).read(runId, -1)).toEqual({
      events: [event(0), event(1), event(2)],
      ended: false,
    });
    expect(await store.unfinished()).toContain(runId);
    expect(await store.append(runId, epoch, [end(3)])).toBe(true);
    expect(await store.append(runId, epoch, [event(4)])).toBe(false);
    expect(await store.read(runId, 2)).toEqual({ events: [end(3)], ended: true });
    expect(await store.claim(runId, -1)).toBe('ended');
    expect(await store.unfinished()).not.toContain(runId);
  });

  test(`${name}: a worker whose run was taken over stores nothing more`, async () => {
    const store = await open();
    const runId = await createRun(store);
    const first = await claim(store, runId);
    await store.append(runId, first.epoch, [event(0)]);
    const second = await claim(store, runId);
    expect(second.events).toEqual([event(0)]);
    expect(await store.append(runId, first.epoch, [])).toBe(false);
    expect(await store.append(runId, second.epoch, [])).toBe(true);
    expect(await store.append(runId, first.epoch, [event(1)])).toBe(false);
    expect(await store.append(runId, second.epoch, [event(1)])).toBe(true);
  });

  test(`${name}: a claim returns the events after afterSeq`, async () => {
    const store = await open();
    const runId = await createRun(store);
    const claimed = await claim(store, runId);
    await store.append(runId, claimed.epoch, [event(0), event(1), event(2)]);
    expect(await store.claim(runId, 0)).toMatchObject({ start, events: [event(1), event(2)] });
    expect(await store.claim(runId, 2)).toMatchObject({ events: [] });
    expect(await store.claim(runId, 7)).toMatchObject({ events: [] });
  });

  test(`${name}: if several workers write at the same time, the events of one are stored`, async () => {
    const store = await open();
    const runId = await createRun(store);
    const claims = await Promise.all(Array.from({ length: 5 }, () => store.claim(runId, -1)));
    const epochs = claims.flatMap((claimed) =>
      claimed === undefined || claimed === 'ended' ? [] : [claimed.epoch],
    );
    expect(new Set(epochs).size).toBe(5);
    const stored = await Promise.all(epochs.map((epoch) => store.append(runId, epoch, [event(0)])));
    expect(stored.filter(Boolean)).toHaveLength(1);
    expect((await store.read(runId, -1))?.events).toHaveLength(1);
  });

  test(`${name}: a command is kept for a worker, one under each name, until it is handled or the run ends`, async () => {
    const store = await open();
    const runId = await createRun(store);
    const stop = { name: 'stop', command: { type: 'stop' } } as const;
    const approve = {
      name: 'approval a',
      command: { type: 'approval-response', approvalId: 'a', response: { approved: true } },
    } as const;
    expect(await store.send(runId, approve)).toEqual(approve);
    const refuse = { ...approve, command: { ...approve.command, response: { approved: false } } } as const;
    expect(await store.send(runId, refuse)).toEqual(approve);
    expect(await store.send(runId, stop)).toEqual(stop);
    expect(await store.commands(runId)).toEqual([approve, stop]);
    expect(await store.commands('no such run')).toEqual([]);
    expect(await store.send('no such run', stop)).toBeUndefined();
    const claimed = await claim(await open(), runId);
    expect(claimed.commands).toEqual([approve, stop]);
    await store.forget(runId, ['approval a']);
    await store.forget(runId, []);
    const again = await claim(store, runId);
    expect(again.commands).toEqual([stop]);
    await store.append(runId, again.epoch, [end(0)]);
    expect(await store.commands(runId)).toEqual([]);
    expect(await store.send(runId, stop)).toBeUndefined();
    expect(await store.send(runId, approve)).toBeUndefined();
  });

  test(`${name}: texts of any kind come back as they were`, async () => {
    const store = await open();
    const runId = newId();
    const text = `it's "quoted" \\ \\u0000 \0 \ud800 $1 \n \u{1F600} \u2028 ${'x'.repeat(100_000)}`;
    await store.create({ runId, start: { prompt: 'p', input: { [text]: text } } });
    const approvalId = text.slice(0, 50);
    const response = { approved: false, reason: text } as const;
    const command = commandOf({ type: 'approval-response', approvalId, response });
    expect(await store.send(runId, command)).toEqual(command);
    expect(await store.send(runId, command)).toEqual(command);
    const claimed = await claim(store, runId);
    expect(claimed.start.input).toEqual({ [text]: text });
    expect(claimed.commands).toEqual([command]);
    expect(await store.commands(runId)).toEqual([command]);
    const said = event(0, { type: 'warning', message: text });
    await store.append(runId, claimed.epoch, [said]);
    expect(await store.read(runId, -1)).toEqual({ events: [said], ended: false });
    expect(await store.claim(runId, -1)).toMatchObject({ events: [said] });
  });
}
