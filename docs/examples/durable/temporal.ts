import type { Durable, DurableDriver } from '@cueline/durable';
import type { Client } from '@temporalio/client';
// #region workflow
import { condition, continueAsNew, defineSignal, proxyActivities } from '@temporalio/workflow';
import { setHandler, workflowInfo } from '@temporalio/workflow';

type Activities = { advance(runId: string): Promise<'next' | 'waiting' | 'done'> };

export const woken = defineSignal('woken');

// the workflow, in a file of its own, which Temporal bundles
export async function cuelineRun(runId: string): Promise<void> {
  const { advance } = proxyActivities<Activities>({
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: '30 seconds',
    retry: { maximumInterval: '5 seconds' },
  });
  let isDue = true;
  setHandler(woken, () => void (isDue = true));
  for (;;) {
    await condition(() => isDue);
    isDue = false;
    const status = await advance(runId);
    if (status === 'done') return;
    if (status === 'next') isDue = true;
    // the new execution begins with a step, so that no signal is missed
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof cuelineRun>(runId);
  }
}
// #endregion

// #region worker
// for Worker.create({ taskQueue: 'cueline', workflowsPath, activities: activitiesOf(durable) })
export function activitiesOf(durable: Durable, context: () => ActivityContext): Activities {
  return {
    async advance(runId) {
      const { heartbeat, cancellationSignal } = context();
      const beat = setInterval(heartbeat, 10_000);
      try {
        return (await durable.advance(runId, cancellationSignal)).status;
      } finally {
        clearInterval(beat);
      }
    },
  };
}
type ActivityContext = { heartbeat(): void; cancellationSignal: AbortSignal };

export function temporalDriver(client: Client): DurableDriver {
  return {
    async wake(runId) {
      const options = { workflowId: runId, taskQueue: 'cueline', args: [runId] as [string], signal: woken };
      await client.workflow.signalWithStart(cuelineRun, options);
    },
    // Temporal's own worker works
    work: () => ({ stop: async () => {} }),
  };
}
// #endregion
