import { useEffect, useState } from 'react';
import { formatDuration } from './format.ts';

const TICK_MS = 100;

/** A duration that counts while it lasts. `since` and now are `performance.now()` times. */
export function LiveDuration({ since }: { since: number }) {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return <>{formatDuration(now - since)}</>;
}
