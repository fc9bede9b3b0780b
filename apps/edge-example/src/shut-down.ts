import { setTimeout as sleep } from 'node:timers/promises';

/** A server that can stop taking requests, and says once all that it took are answered. */
type Closing = { close(): Promise<void> };

/** How long runs may still take, in ms: a bit less than the ten seconds after which Docker kills. */
const PATIENCE_MS = 9_000;

/**
 * Ends the process when it is told to (SIGTERM, or Ctrl+C): what is open goes on for a while, and nothing new begins.
 * Without it a run that waits for an answer would keep the process for as long as a run may take. Told again, it ends
 * at once.
 */
export function endOnSignal(server: Closing, underWay: ReadonlySet<Promise<void>>): void {
  async function end(): Promise<void> {
    const answered = server.close();
    if (underWay.size > 0)
      console.log(`Runs under way: ${underWay.size}. They have ${PATIENCE_MS / 1_000} s.`);
    await Promise.race([Promise.all([answered, ...underWay]), sleep(PATIENCE_MS)]);
    process.exit();
  }
  let isTold = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isTold) process.exit(1);
      isTold = true;
      void end();
    });
  }
}
