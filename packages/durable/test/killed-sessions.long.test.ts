import { reduceAll } from '@cueline/core';
import { expect, test } from 'vitest';
import { createFolder, readIn, startIn } from './support/killed.ts';

test('a session survives processes that are killed in a tool, in a summary and in an answer', async () => {
  const invoices = 4;
  const folder = createFolder(invoices, 300);
  const count = (effects: readonly string[], what: string): number =>
    effects.filter((each) => each === what).length;
  try {
    await startIn(folder, 'run-1', { prompt: 'payInvoices' });
    await folder.workUntil((effects) => effects.includes('pay 0'));
    await folder.workUntil((effects) => effects.includes('summary'));
    const asked = count(folder.effects(), 'model');
    await folder.workUntil((effects) => count(effects, 'model') > asked);
    await folder.workUntil((effects) => effects.includes('end'));
    const { events, ended } = await readIn(folder, 'run-1');
    const effects = folder.effects();
    expect(ended).toBe(true);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
    const state = reduceAll(events);
    expect(state).toMatchObject({ status: 'done', result: { summary: 'All paid.' } });
    for (let n = 0; n < invoices; n += 1) expect(count(effects, `pay ${n}`), `invoice ${n}`).toBe(1);
    // the first call has no result, because its process was killed
    expect(state.toolCalls[0]).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('interrupted'),
    });
    // the model was called again for the summary and the answer that were cut off
    const turns = invoices * 2 + 1;
    expect(state.steps).toHaveLength(turns);
    expect(count(effects, 'model')).toBeLessThanOrEqual(turns + 2);
    expect(effects.filter((each) => each.startsWith('complete'))).toEqual([`complete run-1 in ${turns}`]);
  } finally {
    folder.remove();
  }
}, 180_000);
