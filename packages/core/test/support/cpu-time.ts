import process from 'node:process';

/**
 * Starts to measure how long this thread computes, and returns a function for the milliseconds so far. What else the
 * machine does does not count, so that a bound on it fails for slow code only.
 */
export function startCpuTime(): () => number {
  const from = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(from);
    return (user + system) / 1_000;
  };
}
