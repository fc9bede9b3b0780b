import { setTimeout as sleep } from 'node:timers/promises';

/** A server that stops accepting requests and answers all accepted ones, or runs whose steps in progress end. */
type Closing = { close(): Promise<void> };

/** How long runs may continue, in ms: less than the ten seconds after which Docker kills the process. */
const PATIENCE_MS = 9_000;

/**
 * Ends the process after SIGTERM or Ctrl+C: open requests and runs have some time, and no new ones begin. Without this,
 * a run that waits for a response would keep the process alive. Stored runs continue in the next process, so only their
 * steps in progress are awaited, and pages that watch them reconnect. A second signal ends the process at once.
 */
export function endOnSignal(
  server: Closing,
  inProgress: ReadonlySet<Promise<void>>,
  stored: Closing | undefined,
): void {
  async function end(): Promise<void> {
    const answered = server.close();
    if (inProgress.size > 0)
      console.log(`Runs in progress: ${inProgress.size}. They have ${PATIENCE_MS / 1_000} s.`);
    const finished = stored?.close() ?? Promise.all([answered, ...inProgress]);
    await Promise.race([finished, sleep(PATIENCE_MS)]);
    process.exit();
  }
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isEnding) process.exit(1);
      isEnding = true;
      void end();
    });
  }
}
