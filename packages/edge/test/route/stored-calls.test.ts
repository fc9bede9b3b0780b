import { createRun, definePrompt, viaRoute, type RunEvent, type RunStorage } from '@cueline/core';
import { createMemoryRuns, type RunLogStore } from '@cueline/edge';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { address, testRoute } from './routes.ts';

const begins = (event: string): boolean => (JSON.parse(event) as RunEvent).type === 'tool-start';

/** A store in which each write takes a while, and the events that it has. */
function slowStore(): { store: RunLogStore; stored: string[] } {
  const runs = createMemoryRuns();
  const stored: string[] = [];
  const store: RunLogStore = {
    ...runs,
    async append(runId, batch) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      const result = await runs.append(runId, batch);
      stored.push(...batch.items);
      return result;
    },
  };
  return { store, stored };
}

test.each(['write', undefined, 'read'] as const)(
  'a call with the effect %s is stored as begun before it is made, unless it only reads',
  async (effect) => {
    const { store, stored } = slowStore();
    const seen: boolean[] = [];
    const definition = definePrompt('work', (prompt) => {
      const work = (): string => {
        seen.push(stored.some(begins));
        return 'done';
      };
      prompt.defTool('work', 'Works', z.object({}), work, effect === undefined ? {} : { effect });
      prompt.$`Work.`;
    });
    const hub = testRoute([[{ toolCall: { name: 'work', input: {} } }], 'Done.'], { definition, store });
    const run = createRun(definition, { executor: viaRoute(address, { fetch: hub.fetch('ada') }) });
    expect(await run.start()).toBe('Done.');
    expect(seen).toEqual([effect !== 'read']);
  },
);

test('a page that keeps the runs of a route starts them like any other', async () => {
  const definition = definePrompt('work', (prompt) => prompt.$`Work.`);
  const hub = testRoute(['Done.'], { definition });
  const logs = new Map<string, RunEvent[]>();
  const storage: RunStorage = {
    load: async (id) => logs.get(id),
    append: async (id, events) => void logs.set(id, [...(logs.get(id) ?? []), ...events]),
    remove: async (id) => void logs.delete(id),
  };
  const executor = viaRoute(address, { fetch: hub.fetch('ada') });
  const run = createRun(definition, { id: 'kept', storage, executor });
  expect(await run.start()).toBe('Done.');
  await expect.poll(() => logs.get('kept')).toEqual(run.log());
});
