import { CuelineError, type RunEvent } from '@cueline/core';
import type { SandboxLimits } from '../limits.ts';

const words: Partial<Record<RunEvent['type'], string>> = {
  'task-add': 'tasks',
  'agent-start': 'agents',
  'request-open': 'requests',
  'step-start': 'steps',
  'tool-input-start': 'tool calls',
  'sub-call-start': 'calls inside a tool',
  steer: 'reminders',
};

/**
 * Counts what a run adds to lists that the page goes through as a whole. Returns what the run fails of once there is too
 * much of one kind: a script that adds without end would hold up the page long before its text is too long.
 */
export function createEntryCount({
  entries,
}: Pick<SandboxLimits, 'entries'>): (event: RunEvent) => CuelineError | undefined {
  const counts = new Map<RunEvent['type'], number>();
  return ({ type }) => {
    const kind = words[type];
    if (kind === undefined) return undefined;
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    if (count <= entries) return undefined;
    return new CuelineError(
      'too_large',
      `The script made more than ${entries.toLocaleString('en')} ${kind} in one run, so it was ended. ` +
        'Look for a loop that adds them without end.',
      { details: { reason: 'too-much' } },
    );
  };
}
