const events = ['unhandledRejection', 'uncaughtException'] as const;

/** Calls `work`, and returns the errors that would have ended a server's process. */
export async function unhandledIn(work: () => unknown): Promise<unknown[]> {
  const found: unknown[] = [];
  const add = (error: unknown): void => void found.push(error);
  const before = events.map((event) => process.listeners(event as 'uncaughtException'));
  for (const event of events) process.removeAllListeners(event).on(event, add);
  try {
    await work();
    // Node reports a rejection once all microtasks are done
    for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setTimeout(resolve));
  } finally {
    for (const [index, event] of events.entries()) {
      process.removeAllListeners(event);
      for (const listener of before[index]!) process.on(event, listener);
    }
  }
  return found;
}
