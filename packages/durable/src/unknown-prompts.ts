import { CuelineError } from '@cueline/core';
import type { Prompts } from './prompts.ts';
import type { DurableStore } from './store.ts';

/** How long a run of an unknown prompt is left to other workers, in milliseconds. */
export const UNKNOWN_PROMPT_MS: number = 10 * 60_000;

/** The number of runs of unknown prompts that a worker remembers. */
const MAX_RUNS = 100_000;

/**
 * Creates a check that throws for a run whose prompt this worker does not know, because a worker of a newer deployment may
 * know it. After ten minutes in which no worker has advanced it, the prompt counts as removed, and the check lets the run
 * pass. It only reads, so that it takes the run over from no other worker.
 */
export function createUnknownPrompts(
  store: Pick<DurableStore, 'find' | 'commands'>,
  prompts: Prompts,
): (runId: string) => Promise<void> {
  /** How many events each run had, and since when it has had no more. */
  const runs = new Map<string, { length: number; since: number }>();

  return async (runId) => {
    const found = await store.find({ runId });
    const earlier = runs.get(runId);
    runs.delete(runId);
    if (found === undefined || found.endSeq !== undefined || prompts.has(found.prompt)) return;
    // a stop needs no prompt
    if ((await store.commands(runId)).some(({ command }) => command.type === 'stop')) return;
    const { length, prompt } = found;
    const now = performance.now();
    const since = earlier?.length === length ? earlier.since : now;
    if (now - since >= UNKNOWN_PROMPT_MS) return;
    runs.set(runId, { length, since });
    for (const oldest of runs.keys()) {
      if (runs.size <= MAX_RUNS) break;
      runs.delete(oldest);
    }
    throw unknownHere(runId, prompt);
  };
}

function unknownHere(runId: string, prompt: string): CuelineError {
  return new CuelineError(
    'invalid_definition',
    `Run ${runId} is one of the prompt "${prompt}", which this worker does not know, and a newer deployment may. It is tried again for ${UNKNOWN_PROMPT_MS / 60_000} minutes. If the prompt is new, update this worker; if it was removed by mistake, add it to createDurable({ prompts }).`,
  );
}
