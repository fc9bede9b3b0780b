import { createRun, definePrompt, type Run } from '@cueline/core';
import { createBrowser, type Tab } from './browser.ts';
import { defineWork, planningModel, randomFrom } from './killed-runs.ts';
import { after } from './runs.ts';

/** The outcome of a run whose tabs were killed, reloaded and used at random moments. */
export type KilledTabs = {
  result: string;
  kills: number;
  /** How often each writing call has taken effect, by what it writes. */
  writes: Map<string, number>;
  /** True where all tabs that are left show what is stored. */
  isSame: boolean;
  /** How many ends the log has. */
  ends: number;
};

/** A run in three tabs, of which some are killed and opened again, and some try it again, until it is done. */
export async function killTabs(seed: number): Promise<KilledTabs> {
  const random = randomFrom(seed);
  const browser = createBrowser(`killed-${seed}`);
  const writes = new Map<string, number>();
  let calls = 0;
  const newId = (): string => `call-${(calls += 1)}`;
  const pause = (): Promise<void> => after(random() < 0.5 ? 0 : random() * 6);

  async function open(): Promise<{ tab: Tab; run: Run }> {
    const tab = browser.openTab();
    const definition = definePrompt('work', (prompt) =>
      defineWork(prompt, async (what, _context, isWrite) => {
        await pause();
        if (tab.isDead) return new Promise(() => {});
        if (isWrite) writes.set(what, (writes.get(what) ?? 0) + 1);
        await pause();
        return tab.isDead ? new Promise(() => {}) : `did ${what}`;
      }),
    );
    tab.use();
    const run = createRun(definition, {
      id: 'work',
      storage: tab.storage,
      model: planningModel(newId),
      options: { loopGuard: false },
    });
    await run.restored;
    return { tab, run };
  }

  const shown = [await open(), await open(), await open()];
  shown[0]!.run.start().catch(() => {});
  while (browser.logs.get('work') === undefined) await after(5);
  let kills = 0;
  for (let moves = 0; moves < 8; moves += 1) {
    await after(random() * 120);
    const index = Math.floor(random() * shown.length);
    const { tab, run } = shown[index]!;
    if (run.getState().status === 'done') break;
    if (random() < 0.7) {
      tab.kill();
      // nothing that happens in a closed tab is delivered
      run.stop();
      kills += 1;
      shown[index] = await open();
    } else if (run.log().length > 0) run.retry().catch(() => {});
  }
  const deadline = Date.now() + 15_000;
  const states = (): string[] => shown.map(({ run }) => run.getState().status);
  while (!states().every((status) => status === 'done') && Date.now() < deadline) {
    await after(20);
    // if all tabs were killed at once, none continues by itself
    const isOver = (status: string): boolean => status === 'error' || status === 'stopped';
    if (states().every(isOver) && browser.holders() === 0) shown[0]!.run.retry().catch(() => {});
  }
  const log = browser.logs.get('work') ?? [];
  const logs = shown.map(({ run }) => JSON.stringify(run.log()));
  return {
    result: states().join(' '),
    kills,
    writes,
    isSame: logs.every((each) => each === logs[0]) && logs[0] === JSON.stringify(log),
    ends: log.filter(({ type, agent }) => type === 'run-end' && agent === undefined).length,
  };
}
