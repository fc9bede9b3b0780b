import { createRun, reduceAll } from '@cueline/core';
import { createDurable, type DurableStore } from '@cueline/durable';
import { expect, test } from 'vitest';
import { createEffects, workHere } from './driver-contract.ts';
import { geographer, payInvoices } from './sessions.ts';

/** Tests sessions and agents with a store. */
export function testSessions(name: string, open: () => DurableStore): void {
  test(`${name}: a session runs to its end, and is summarized after each payment`, async () => {
    const effects = createEffects();
    const session = payInvoices(effects);
    const { durable } = await workHere([session], undefined, open());
    const run = createRun(session, { executor: durable.executor });
    expect(await run.start()).toEqual({ summary: 'All paid.' });
    const { runId, steps } = run.getState();
    expect(effects.noted.filter((each) => each.startsWith('pay'))).toEqual(['pay 0', 'pay 1', 'pay 2']);
    expect(effects.noted.filter((each) => each === 'summary')).toHaveLength(3);
    expect(effects.noted.at(-1)).toBe(`complete ${runId} in ${steps.length}`);
  });

  test(`${name}: a worker continues a session whose worker failed at a write to the store: every seventh write is tried`, async () => {
    const inner = open();
    let writes = 0;
    let failsAt = Infinity;
    const store: DurableStore = {
      ...inner,
      async append(...given) {
        if ((writes += 1) > failsAt) throw new Error('The process is gone.');
        return inner.append(...given);
      },
    };
    const { signal } = new AbortController();
    for (failsAt = 1; ; failsAt += 7) {
      const effects = createEffects();
      const session = payInvoices(effects, { invoices: 2 });
      const runId = `run-${failsAt}`;
      await inner.create({ runId, start: { prompt: session.name } });
      const advance = async (on: DurableStore): Promise<void> => {
        const durable = createDurable({ prompts: [session], store: on });
        for (let status = 'next'; status === 'next';) ({ status } = await durable.advance(runId, signal));
      };
      writes = 0;
      const wasKilled = await advance(store).then(
        () => false,
        () => true,
      );
      await advance(inner);
      const { events = [] } = (await inner.read(runId, -1)) ?? {};
      const state = reduceAll(events);
      expect(state, runId).toMatchObject({ status: 'done', result: { summary: 'All paid.' } });
      for (const n of [0, 1]) {
        expect(effects.noted.filter((each) => each === `pay ${n}`).length, runId).toBeLessThanOrEqual(1);
      }
      expect(effects.noted.at(-1), runId).toBe(`complete ${runId} in 5`);
      if (!wasKilled) break;
    }
    expect(failsAt).toBeGreaterThan(20);
  });

  test(`${name}: an agent corrects an unusable answer, calls a tool and returns its result`, async () => {
    const effects = createEffects();
    const agent = geographer(effects);
    const { durable } = await workHere([agent], undefined, open());
    const run = createRun(agent, { executor: durable.executor });
    expect(await run.start('What is the capital of Portugal?')).toEqual({ answer: 'Lisbon' });
    expect(effects.noted).toEqual(['model', 'model', 'look', 'model']);
  });
}
