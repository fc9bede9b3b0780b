import { failedStart, type RunEvent } from '@cueline/core';
import type { RunSession } from '../state/store.ts';

/**
 * Returns the beginning of a turn that has no event yet: its start and the user's message. It is stored in place of
 * the turn's log, so that a turn that never began can be started again. `begun` is the latest start that the session
 * has in its logs: if the first turn runs again, the start of that turn.
 */
export function turnStart({ run, earlier, input }: RunSession, begun: RunEvent | undefined): RunEvent[] {
  if (earlier.length === 0 && begun !== undefined) return [begun];
  const { messages } = run.getState();
  const before = earlier.at(-1)?.log[0];
  const first = before?.type === 'run-start' ? before : undefined;
  const [start] = failedStart(first?.name ?? '', undefined, messages, first?.input ?? input);
  if (start?.type !== 'run-start') return [];
  const { turns: _all, ...rest } = start;
  // the prompt creates its own messages again
  const turns = messages.length - (first === undefined ? 0 : first.messages.length - (first.turns ?? 0));
  return [turns > 0 ? { ...rest, turns } : rest];
}
