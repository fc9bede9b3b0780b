import { useEffect, useState } from 'react';
import { formatDuration } from './format.ts';
import { tickInterval } from './reduced-motion.ts';

type LiveDurationProps = {
  clock: { now(): number };
  /** When it began, by the clock. */
  since: number;
};

/** A duration that counts while it lasts. */
export function LiveDuration({ clock, since }: LiveDurationProps) {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(clock.now()), tickInterval());
    return () => clearInterval(timer);
  }, [clock]);
  return <>{formatDuration(now - since)}</>;
}
