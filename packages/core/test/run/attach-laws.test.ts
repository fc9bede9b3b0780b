import { createRun, CuelineError } from '@cueline/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { json } from '../support.ts';
import { memoryStorage } from '../support/runs.ts';
import { sample } from '../support/sample.ts';
import { cut, ended, setUp } from './routed-mail.ts';

test('runs that are cut off at random moments, then reloaded or retried, are one run each and write once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 9 }), { maxLength: 12 }),
      fc.array(fc.constantFrom('retry', 'attach', 'reload'), { minLength: 12, maxLength: 12 }),
      async (cuts, moves) => {
        const { hub, mail, executor, written } = setUp({ tamper: cut(cuts) });
        const storage = memoryStorage();
        let run = createRun(mail, { id: 'mail', executor, storage });
        await run.start({ to: 'both' }).catch(() => {});
        for (const move of moves) {
          const state = run.getState();
          if (state.status === 'done') break;
          if (!CuelineError.isInstance(state.error) && state.status !== 'error')
            throw new Error(state.status);
          // what has not begun cannot be found by anything else
          if (move === 'retry' || run.log()[0]?.type !== 'run-start' || hub.runs.size === 0) {
            await run.retry().catch(() => {});
          } else if (move === 'attach') {
            run.attach();
            await expect.poll(() => /^(done|error)$/.test(run.getState().status), { interval: 1 }).toBe(true);
          } else if (run.log().length > 2) {
            await expect
              .poll(async () => (await storage.load('mail'))?.length ?? 0, { interval: 1 })
              .toBe(run.log().length - 1);
            run = createRun(mail, { id: 'mail', executor, storage });
            await run.restored;
            await expect.poll(() => /^(done|error)$/.test(run.getState().status), { interval: 1 }).toBe(true);
          }
        }
        if (run.getState().status !== 'done') expect(await run.retry()).toBe('Both are sent.');
        expect(run.log()).toEqual(json(hub.log()));
        expect(ended(run.log())).toBe(1);
        expect(written).toEqual(['ada', 'ben']);
      },
    ),
    { numRuns: sample(200) },
  );
}, 60_000);
