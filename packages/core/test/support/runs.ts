import {
  createRun,
  CuelineError,
  type PromptDefinition,
  type Run,
  type RunEvent,
  type RunStorage,
  type Scheduler,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';

/** A scheduler that does not wait for a frame. */
export const atOnce: Scheduler = (callback) => {
  const timer = setTimeout(callback, 0);
  return () => clearTimeout(timer);
};

/** A moment, in which what was begun can go on. */
export function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves with the run's next event for which `isIt` returns true. */
export function nextEvent(
  run: Pick<Run<never>, 'listen'>,
  isIt: RunEvent['type'] | ((event: RunEvent) => boolean),
): Promise<RunEvent> {
  return new Promise((resolve) => {
    const unlisten = run.listen((event) => {
      if (typeof isIt === 'string' ? event.type !== isIt : !isIt(event)) return;
      unlisten();
      resolve(event);
    });
  });
}

/** A run of `definition` that has ended, and its model. */
export async function ran(definition: PromptDefinition, turns: readonly ScriptedTurn[]) {
  const model = scriptedModel(turns);
  const run = createRun(definition, { model });
  await run.start();
  return { run, model };
}

/** The code of the error that a promise rejects with; undefined where it resolves. */
export async function codeOf(promise: PromiseLike<unknown>): Promise<string | undefined> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return CuelineError.isInstance(error) ? error.code : (error as undefined);
}

/** A storage that says what was asked of it. */
export type MemoryStorage = RunStorage & {
  readonly logs: Map<string, RunEvent[]>;
  /** First and last `seq` of each batch, in their order. */
  readonly batches: [first: number, last: number][];
  loads: number;
};

/** Keeps logs as a storage must: a batch that begins with 0 replaces, any other follows. */
export function memoryStorage(logs: Record<string, readonly RunEvent[]> = {}): MemoryStorage {
  const stored = new Map(Object.entries(logs).map(([id, events]) => [id, [...events]]));
  const storage: MemoryStorage = {
    logs: stored,
    batches: [],
    loads: 0,
    async load(id) {
      storage.loads += 1;
      const events = stored.get(id);
      return events === undefined ? undefined : (JSON.parse(JSON.stringify(events)) as RunEvent[]);
    },
    async append(id, events) {
      const [first] = events;
      const last = events.at(-1);
      if (first === undefined || last === undefined) throw new Error('An empty batch.');
      const before = first.seq === 0 ? [] : (stored.get(id) ?? []);
      if (first.seq !== before.length) throw new Error(`A gap: ${before.length} events, then ${first.seq}.`);
      stored.set(id, [...before, ...(JSON.parse(JSON.stringify(events)) as RunEvent[])]);
      storage.batches.push([first.seq, last.seq]);
    },
    async remove(id) {
      stored.delete(id);
    },
  };
  return storage;
}
