import type { DurableDriver } from '@cueline/durable';
// #region workflow
import { createHook } from 'workflow';
import { resumeHook, start } from 'workflow/api';
import { openDurable } from './open-durable.ts';

const tokenOf = (runId: string): string => `cueline ${runId}`;

export async function cuelineRun(runId: string): Promise<void> {
  'use workflow';
  const wakes = createHook<{ runId: string }>({ token: tokenOf(runId) })[Symbol.asyncIterator]();
  for (;;) {
    const status = await advance(runId);
    if (status === 'done') return;
    if (status === 'waiting') await wakes.next();
  }
}

async function advance(runId: string): Promise<'next' | 'waiting' | 'done'> {
  'use step';
  const { signal } = new AbortController();
  return (await openDurable().advance(runId, signal)).status;
}
// only the store can fail here: models have retries of their own
advance.maxRetries = 1_000;

export function vercelWorkflowDriver(): DurableDriver {
  return {
    async wake(runId) {
      try {
        await resumeHook(tokenOf(runId), { runId });
      } catch {
        // it has no hook yet, or its workflow has ended
        await start(cuelineRun, [runId]);
      }
    },
    // the platform calls the steps
    work: () => ({ stop: async () => {} }),
  };
}
// #endregion
