import type { RunEvent } from '../log/events.ts';
import { createRunLog, type RunLog } from '../log/run-log.ts';
import type { RunState } from '../log/state.ts';

/** A log that ignores further events once it is paused, as after its end. */
export type PausableLog = RunLog & { pause(): void };

/**
 * Creates a log that continues `events`, at the time since `startedAt` if that is known. A warning that they contain
 * is not repeated. `state` is the state after the events.
 */
export function createPausableLog(
  events: readonly RunEvent[],
  startedAt: number | undefined,
  state: RunState,
): PausableLog {
  const elapsed = startedAt === undefined ? 0 : Date.now() - startedAt;
  const log = createRunLog({ events, state, elapsed: events.length === 0 ? 0 : elapsed });
  const warned = new Set(state.warnings);
  let isPaused = false;
  return {
    append(body) {
      if (isPaused || (body.type === 'warning' && warned.has(body.message))) return;
      log.append(body);
    },
    push(event) {
      if (!isPaused) log.push(event);
    },
    pause: () => void (isPaused = true),
    events: log.events,
    get ended() {
      return isPaused || log.ended;
    },
    getState: () => log.getState(),
    at: (seq) => log.at(seq),
    subscribe: (listener) => log.subscribe(listener),
    listen: (listener) => log.listen(listener),
    read: (afterSeq) => log.read(afterSeq),
  };
}
