import { CuelineError } from '@cueline/core';
import { formatDuration } from './format-duration.ts';
import type { Prompts } from './prompts.ts';
import type { DurableStore } from './store.ts';

/** The default of `unknownPromptMs`. */
export const UNKNOWN_PROMPT_MS: number = 24 * 60 * 60_000;

/** How many runs of unknown prompts a worker remembers. */
const MAX_RUNS = 100_000;

/**
 * Creates a check that throws if this worker does not know the prompt of a run: a worker of a newer deployment may
 * know it. If the run gets no event and no command for `ms` milliseconds, the prompt counts as removed, and the check
 * passes. The check only reads, so it does not take the run over from another worker.
 */
export function createPromptCheck(
  store: Pick<DurableStore, 'find' | 'commands'>,
  prompts: Prompts,
  ms: number,
): (runId: string) => Promise<void> {
  /** The number of events and commands of each run, and since when they have not changed. */
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
    throw unknownPromptError(runId, found.prompt, ms);
  };
}

function unknownPromptError(runId: string, prompt: string, ms: number): CuelineError {
  const until = Number.isFinite(ms)
    ? `If the run makes no progress for ${formatDuration(ms)} (unknownPromptMs), it ends with an error.`
    : 'It does not end by itself (unknownPromptMs).';
  return new CuelineError(
    'invalid_definition',
    `Run ${runId} needs the prompt "${prompt}", which this worker does not know. A newer deployment may know it, so the run is tried again. ${until} If the prompt is new, update this worker. If the prompt was removed by mistake, add it to createDurable({ prompts }).`,
  );
}
