import { useFollowedTime } from '../state/moment/followed-moment.tsx';
import { formatDuration } from '../ui/format.ts';

/** The time of the shown moment: the one that was chosen, or else `elapsed`, that of the moment's event. */
export function ShownTime({ elapsed }: { elapsed: number }) {
  return <>{formatDuration(useFollowedTime() ?? elapsed)}</>;
}
