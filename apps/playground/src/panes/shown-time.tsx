import type { RunSession } from '../state/store.ts';
import { useShownTime } from '../timeline/use-playback.ts';
import { formatDuration } from '../ui/format.ts';

type ShownTimeProps = {
  session: RunSession;
  turn: number;
  /** When the last event before the moment happened, in milliseconds. */
  elapsed: number;
};

/** The time of the shown moment. While a run plays, it lies between two events. */
export function ShownTime({ session, turn, elapsed }: ShownTimeProps) {
  return <>{formatDuration(useShownTime(session, turn) ?? elapsed)}</>;
}
