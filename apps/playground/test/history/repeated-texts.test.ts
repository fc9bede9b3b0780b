import 'fake-indexeddb/auto';
import { createRun, definePrompt, reduceAll, type Executor, type RunEvent } from '@cueline/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDatabase } from '../../src/history/database.ts';
import { openStoredRun } from '../../src/history/open-stored-run.ts';
import { createTextReader, createTextWriter } from '../../src/history/repeated-texts.ts';
import { exportRun, importRun } from '../../src/history/run-file.ts';
import { createRunStore } from '../../src/history/run-store.ts';
import { createRunSaver } from '../../src/history/save-runs.ts';
import { defaultConnection } from '../../src/model/connection.ts';
import type { RunSession } from '../../src/state/store.ts';
import { sessionOf } from '../sessions.ts';

const file = `data:image/png;base64,${'iVBORw0KGgo'.repeat(500_000)}`;

/** The log of a turn that began with these messages. */
function logOf(messages: readonly object[], turn: number): RunEvent[] {
  const start = { type: 'run-start', v: 2, runId: 'r', model: 'm', messages, messageId: `a${turn}` };
  const end = { type: 'run-end', outcome: 'done', finishReason: 'stop' };
  return [start, end].map((body, seq) => ({ seq, t: seq, ...body }) as unknown as RunEvent);
}

/** A conversation whose first message has a large file. */
function logsOf(turns: number): RunEvent[][] {
  const message = (turn: number): object => ({
    id: `u${turn}`,
    role: 'user',
    parts:
      turn === 0 ? [{ type: 'file', mediaType: 'image/png', url: file }] : [{ type: 'text', text: 'On.' }],
  });
  return Array.from({ length: turns }, (_, turn) =>
    logOf(
      Array.from({ length: turn + 1 }, (_unused, at) => message(at)),
      turn,
    ),
  );
}

function createSession(logs: readonly RunEvent[][]): RunSession {
  const run = createRun(
    definePrompt('script', () => {}),
    { log: logs.at(-1)! },
  );
  return sessionOf(run, {
    earlier: logs.slice(0, -1).map((log) => ({ log, state: reduceAll(log) })),
  });
}

let names = 0;
function createTab() {
  const store = createRunStore(createDatabase(`texts-${(names += 1)}`));
  const recorder = createRunSaver({
    store,
    locks: { hold: () => () => {}, held: () => Promise.resolve(new Set()) },
    isShown: () => true,
    isKept: () => true,
    onProblem(error) {
      throw error;
    },
    onWritten: () => {},
  });
  return { store, recorder };
}

test('a conversation with a large file is kept for as many turns as it has: the file is stored once', async () => {
  const { store, recorder } = createTab();
  const logs = logsOf(10);
  for (let turns = 1; turns <= logs.length; turns += 1) {
    recorder.follow(createSession(logs.slice(0, turns)));
    await recorder.flush();
  }
  const row = (await store.get('one'))!;
  expect(row).toMatchObject({ hasLog: true, turns: 10 });
  expect(row.size).toBeLessThan(file.length + 100_000);
  expect(await store.logs('one')).toEqual(logs);
  expect(await openStoredRun(store, 'one')).toMatchObject({ session: { earlier: { length: 9 } } });
});

test('the start of a turn counts once, though it is written before its first event and again with it', async () => {
  const { store, recorder } = createTab();
  const [first] = logsOf(1);
  let next = (): void => {};
  const executor: Executor = {
    async *start() {
      await new Promise<void>((resolve) => (next = resolve));
      yield* first!;
    },
  };
  const run = createRun(
    definePrompt('script', () => {}),
    { executor },
  );
  recorder.follow({ ...createSession([first!]), run: run as never });
  void run.send({ parts: [{ type: 'file', mediaType: 'image/png', url: file }] });
  await recorder.flush();
  expect((await store.get('one'))!.size).toBeGreaterThan(file.length);
  next();
  await expect.poll(() => run.log()).toHaveLength(2);
  await recorder.flush();
  expect((await store.get('one'))!.size).toBeLessThan(file.length + 100_000);
  expect(await store.logs('one')).toEqual([run.log()]);
});

test('an exported conversation contains a large file once, and an import restores all turns', async () => {
  const { store, recorder } = createTab();
  const logs = logsOf(3);
  recorder.follow(createSession(logs));
  await recorder.flush();
  const text = (await exportRun(store, 'one', defaultConnection))!;
  expect(text.length).toBeLessThan(file.length + 100_000);
  const { id } = (await importRun(store, text)) as { id: string };
  expect(await store.logs(id)).toEqual(logs);
  const { size } = (await store.get(id))!;
  expect(size).toBe((await store.get('one'))!.size);
  expect(await importRun(store, text.replaceAll(/\\u0000\d+/g, '\\u000099'))).toHaveProperty('problem');
});

test('a run with a reference to nothing is not opened', async () => {
  const { store, recorder } = createTab();
  const session = createSession(logsOf(1));
  recorder.follow(session);
  await recorder.flush();
  const row = (await store.get('one'))!;
  const stored = { withReferences: JSON.stringify(logsOf(1)[0]).replace(file, String.raw`\u00000`) };
  await store.write({ row, batches: [{ turn: 0, seq: 0, stored }], replaced: 'all' });
  expect(await store.logs('one')).toBeUndefined();
  expect(await openStoredRun(store, 'one')).toHaveProperty('problem');
});

test('the reader returns what was written, also after turns were written again', () => {
  const long = fc.constantFrom(...['a', 'b', '\0'].map((first) => first.repeat(10_000)));
  const text = fc.oneof(fc.string(), long, fc.constantFrom('\0', '\x000', '\0:', '\0:0', '\x007'));
  const value = fc.letrec((tie) => ({
    json: fc.oneof({ maxDepth: 3 }, text, fc.array(tie('json')), fc.dictionary(text, tie('json'))),
  })).json;
  fc.assert(
    fc.property(fc.array(value, { maxLength: 6 }), fc.nat(5), (turns, from) => {
      const writer = createTextWriter();
      const before = turns.map((one, turn) => writer.write(one, turn));
      writer.forgetFrom(from);
      const after = turns.slice(from).map((one, index) => writer.write([one, one], from + index));
      const stored = [...before.slice(0, from), ...after];
      const read = createTextReader(stored);
      expect(stored.map((one) => read(one))).toEqual(
        turns.map((one, turn) => JSON.parse(JSON.stringify(turn < from ? one : [one, one]))),
      );
    }),
  );
});
