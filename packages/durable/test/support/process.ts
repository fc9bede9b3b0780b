import process from 'node:process';
import { createDurable } from '@cueline/durable';
import { createSqlStore } from '@cueline/durable/sql';
// A process that works on the runs of a folder until a test kills it.
// node process.ts <folder> <steps> <ms>
import { PGlite } from '@electric-sql/pglite';
import { effectsIn, sendLetter, writePages } from './prompts.ts';
import { payInvoices } from './sessions.ts';

const [, , folder = '', steps = '3', ms = '20'] = process.argv;
const effects = effectsIn(`${folder}/effects.txt`);
const store = createSqlStore(new PGlite(`${folder}/store`));
const durable = createDurable({
  prompts: [
    writePages(effects, { steps: Number(steps), ms: Number(ms) }),
    sendLetter(effects),
    payInvoices(effects, { invoices: Number(steps), ms: Number(ms) }),
  ],
  store,
});
await durable.work();
// until it is killed
setInterval(() => {
  void noteEnd();
}, 50);

async function noteEnd(): Promise<void> {
  const runs = await store.unfinished();
  if (runs.length === 0) effects.note('end');
}
