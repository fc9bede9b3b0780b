import { CuelineError } from '@cueline/core';
import type { Prompts } from './prompts.ts';
import type { DurableStore } from './store.ts';

/** How long a run of an unknown prompt is left to other workers, in milliseconds, unless another time is given. */
export const UNKNOWN_PROMPT_MS: number = 24 * 60 * 60_000;

/** The number of runs of unknown prompts that a worker remembers. */
const MAX_RUNS = 100_000;

/**
 * Creates a check that throws for a run whose prompt this worker does not know, because a worker of a newer deployment may
 * know it. After `ms` in which no worker has advanced it and no user has sent it anything, the prompt counts as removed, and the
 * check lets the run pass. It only reads, so that it takes the run over from no other worker.
 */
export function createUnknownPrompts(
  store: Pick<DurableStore, 'find' | 'commands'>,
  prompts: Prompts,
  ms: number,
): (runId: string) => Promise<void> {
  /** How many events and commands each run had, and since when it has had the same. */
  const runs = new Map<string, { events: number; commands: number; since: number }>();

  return async (runId) => {
    const found = await store.find({ runId });
    const earlier = runs.get(runId);
    runs.delete(runId);
    if (found === undefined || found.endSeq !== undefined || prompts.has(found.prompt)) return;
    const commands = await store.commands(runId);
    // a stop needs no prompt
    if (commands.some(({ command }) => command.type === 'stop')) return;
    const now = performance.now();
    const isSame = earlier?.events === found.length && earlier.commands === commands.length;
    const since = isSame ? earlier.since : now;
    if (now - since >= ms) return;
    runs.set(runId, { events: found.length, commands: commands.length, since });
    for (const oldest of runs.keys()) {
      if (runs.size <= MAX_RUNS) break;
      runs.delete(oldest);
    }
    throw unknownHere(runId, found.prompt, ms);
  };
}

function unknownHere(runId: string, prompt: string, ms: number): CuelineError {
  return new CuelineError(
    'invalid_definition',
    `Run ${runId} is one of the prompt "${prompt}", which this worker does not know, and a newer deployment may. It is tried again, and ends after ${ms} ms without progress (unknownPromptMs). If the prompt is new, update this worker; if it was removed by mistake, add it to createDurable({ prompts }).`,
  );
}
