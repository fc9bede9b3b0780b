import { useEffect, useState } from 'react';
import { formatDuration } from './format.ts';
import { tickInterval } from './reduced-motion.ts';

/** A duration that counts while it lasts. `since` and now are `performance.now()` times. */
export function LiveDuration({ since }: { since: number }) {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), tickInterval());
    return () => clearInterval(timer);
  }, []);
  return <>{formatDuration(now - since)}</>;
}
