import type { DurableDriver } from '@cueline/durable';
import type { PgBoss } from 'pg-boss';

const QUEUE = 'cueline';

/**
 * Schedules steps with pg-boss: a queue in the Postgres that also has the runs. `boss` is started, and stopped, by the
 * caller.
 */
export async function pgBossDriver(boss: PgBoss): Promise<DurableDriver> {
  // of each run at most one job that waits and one that is worked off, so that a wake-up during a step is not lost
  await boss.createQueue(QUEUE, {
    policy: 'stately',
    retryLimit: 1_000,
    expireInSeconds: 3_600,
    // the jobs of a worker that is killed go to the others when this and pg-boss's own check (60 seconds) have passed
    heartbeatSeconds: 30,
  });
  const wake = async (runId: string, startAfter = 0): Promise<void> => {
    await boss.send(QUEUE, { runId }, { singletonKey: runId, startAfter });
  };
  return {
    wake,
    work(advance) {
      const stopping = new AbortController();
      const working = boss.work<{ runId: string }>(
        QUEUE,
        { localConcurrency: 16, pollingIntervalSeconds: 0.5 },
        async ([job]) => {
          if (job === undefined) return;
          const { runId } = job.data;
          try {
            const { status } = await advance(runId, AbortSignal.any([job.signal, stopping.signal]));
            if (status === 'next') await wake(runId);
          } catch (error) {
            console.error(`Run ${runId} could not be advanced, and will be tried again.`, error);
            await wake(runId, 5);
          }
        },
      );
      return {
        async stop() {
          const grace = setTimeout(() => stopping.abort(new Error('The worker is shutting down.')), 10_000);
          await working;
          await boss.offWork(QUEUE, { wait: true });
          clearTimeout(grace);
        },
      };
    },
  };
}
