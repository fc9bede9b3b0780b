// A worker in its own process, which a test kills or freezes.
// node worker-process.ts <module that opens the driver and the store> <its argument> <folder> <ms>
import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import process from 'node:process';
import type { RunEvent } from '@cueline/core';
import { createDurable, type DurableStore } from '@cueline/durable';
import { endsProcess, everyEffect, sameAgain, treeAndTasks } from './driver-prompts.ts';
import type { OpenWorker } from './driver-setup.ts';
import { effectsIn, sendLetter, writePages } from './prompts.ts';
import { payInvoices } from './sessions.ts';

const [, , module = '', argument = '', folder = '', ms = '20'] = process.argv;
const { openWorker } = (await import(module)) as { openWorker: OpenWorker };
const { driver, store } = await openWorker(argument);
const effects = effectsIn(`${folder}/effects.txt`);
const settings = { effects, reach, ms: Number(ms) };
const durable = createDurable({
  prompts: [
    everyEffect(settings),
    treeAndTasks(settings),
    sameAgain(settings),
    endsProcess(settings),
    writePages(effects, { steps: 5, ms: Number(ms) }),
    sendLetter(effects),
    payInvoices(effects, { ms: Number(ms), reach }),
  ],
  store: withKillPlaces(store),
  driver,
});
process.on('SIGTERM', () => void worker.stop().then(() => process.exit(0)));
const worker = await durable.work();
effects.note('worker up');
// until it is killed
setInterval(() => {}, 1_000);

/** Kills this process if a test has named this place. Only the first process to come here is killed. */
function reach(place: string): void {
  const file = `${folder}/kill-at.txt`;
  if (!existsSync(file) || readFileSync(file, 'utf8') !== place) return;
  try {
    unlinkSync(file);
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
}

function withKillPlaces(inner: DurableStore): DurableStore {
  return {
    ...inner,
    async append(runId, epoch, events) {
      const has = (type: RunEvent['type']): boolean => events.some((event) => event.type === type);
      if (has('tool-end')) reach('before results are stored');
      const appended = inner.append(runId, epoch, events);
      if (has('tool-start')) setImmediate(() => reach('while it stores'));
      const stored = await appended;
      if (has('model-call-end')) reach('after the answer');
      if (has('tool-end')) reach('after the first result');
      return stored;
    },
  };
}
