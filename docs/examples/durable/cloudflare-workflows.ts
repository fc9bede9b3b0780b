import type { DurableDriver } from '@cueline/durable';
// #region workflow
import { WorkflowEntrypoint, type WorkflowBinding, type WorkflowStep } from 'cloudflare:workers';
import { openDurable } from './open-durable.ts';

type Params = { runId: string };

export class CuelineRun extends WorkflowEntrypoint<object, Params> {
  override async run({ payload: { runId } }: { payload: Params }, step: WorkflowStep): Promise<void> {
    const durable = openDurable();
    // only the store can fail here: models have retries of their own
    const retries = { limit: 100, delay: '5 seconds', backoff: 'constant' } as const;
    for (let count = 0; ; count += 1) {
      const status = await step.do(`step ${count}`, { retries, timeout: '30 minutes' }, async () => {
        const { signal } = new AbortController();
        return (await durable.advance(runId, signal)).status;
      });
      if (status === 'done') return;
      if (status === 'waiting') {
        await step.waitForEvent(`wake-up ${count}`, { type: 'woken', timeout: '365 days' });
      }
    }
  }
}

export function cloudflareDriver(runs: WorkflowBinding<Params>): DurableDriver {
  return {
    async wake(runId) {
      const instance = await runs.get(runId).catch(() => undefined);
      if (instance === undefined) await runs.create({ id: runId, params: { runId } });
      else await instance.sendEvent({ type: 'woken', payload: {} });
    },
    // the platform calls the steps
    work: () => ({ stop: async () => {} }),
  };
}
// #endregion
