import type { RunEvent } from '@cueline/core';
import { notStoredError } from './not-stored-error.ts';
import type { DurableStore, NewDurableRun, RunQuery, StoredCommand } from './store.ts';

type Kept = NewDurableRun & {
  epoch: number;
  /** As JSON, so that changes that a reader makes are not stored. */
  events: string[];
  commands: StoredCommand[];
  ended: boolean;
};

/** Keeps runs in the memory of this process, for tests and experiments. The runs are lost when the process ends. */
export function createMemoryStore(): DurableStore {
  const runs = new Map<string, Kept>();
  const read = ({ events }: Kept, from: number): RunEvent[] =>
    events.slice(from).map((text) => JSON.parse(text) as RunEvent);
  function runOf(which: RunQuery): Kept | undefined {
    if ('runId' in which) return runs.get(which.runId);
    const isWanted = ({ key, start: { owner } }: Kept): boolean =>
      'key' in which ? key === which.key : owner?.chat === which.chat && owner.subject === which.subject;
    return [...runs.values()].findLast(isWanted);
  }
  return {
    async find(which) {
      const run = runOf(which);
      if (run === undefined) return undefined;
      const { runId, start, ended, events } = run;
      const { length } = events;
      return {
        runId,
        prompt: start.prompt,
        owner: structuredClone(start.owner),
        length,
        endSeq: ended ? length - 1 : undefined,
      };
    },
    async create(run) {
      const known = runOf(run.key === undefined ? { runId: run.runId } : { key: run.key });
      if (known !== undefined) return { runId: known.runId };
      if (runs.has(run.runId)) throw notStoredError(run.runId);
      // the other stores write JSON, too
      const start = JSON.parse(JSON.stringify(run.start)) as typeof run.start;
      runs.set(run.runId, { ...run, start, epoch: 0, events: [], commands: [], ended: false });
      return 'created';
    },
    async claim(runId, afterSeq) {
      const run = runs.get(runId);
      if (run === undefined) return undefined;
      if (run.ended) return 'ended';
      run.epoch += 1;
      return {
        epoch: run.epoch,
        start: structuredClone(run.start),
        events: read(run, afterSeq + 1),
        commands: structuredClone(run.commands),
      };
    },
    async append(runId, epoch, events) {
      const run = runs.get(runId);
      if (run === undefined || run.ended || run.epoch !== epoch) return false;
      if (events.length === 0) return true;
      if (events[0]?.seq !== run.events.length) return false;
      run.events.push(...events.map((event) => JSON.stringify(event)));
      run.ended = events.at(-1)?.type === 'run-end';
      if (run.ended) run.commands = [];
      return true;
    },
    async send(runId, command) {
      const run = runs.get(runId);
      if (run === undefined || run.ended) return undefined;
      const known = run.commands.find(({ name }) => name === command.name);
      if (known === undefined) run.commands.push(structuredClone(command));
      return structuredClone(known ?? command);
    },
    commands: async (runId) => structuredClone(runs.get(runId)?.commands ?? []),
    async forget(runId, names) {
      const run = runs.get(runId);
      if (run !== undefined) run.commands = run.commands.filter(({ name }) => !names.includes(name));
    },
    async read(runId, afterSeq) {
      const run = runs.get(runId);
      if (run === undefined) return undefined;
      return { events: read(run, afterSeq + 1), ended: run.ended };
    },
    async unfinished() {
      return [...runs.values()].flatMap(({ runId, ended }) => (ended ? [] : [runId]));
    },
  };
}
