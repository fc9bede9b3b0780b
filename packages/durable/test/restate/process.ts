// A worker behind Restate, which a test kills. Only one process at a time may open the store of the folder.
// node process.ts <folder> <ingress> <port> <mode>
import { PGlite } from '@electric-sql/pglite';
import { serve } from '@restatedev/restate-sdk';
import { createDurable, type DurableStart } from '@cueline/durable';
import { restateDriver } from '@cueline/durable/restate';
import { createSqlStore } from '@cueline/durable/sql';
import process from 'node:process';
import type { RunCommand } from '@cueline/core';
import { effectsIn, sendLetter } from '../support/prompts.ts';

export type Request =
  | { what: 'create'; runId: string; start: DurableStart }
  | { what: 'wake'; runId: string }
  | { what: 'respond'; runId: string; command: RunCommand }
  | { what: 'read'; runId: string };

const [, , folder = '', ingress = '', port = '', mode = 'work'] = process.argv;
const effects = effectsIn(`${folder}/effects.txt`);
const store = createSqlStore(new PGlite(`${folder}/store`));
const driver = restateDriver({ ingress });
const durable = createDurable({
  prompts: [sendLetter(effects)],
  store,
  driver,
});

async function answer(request: Request): Promise<unknown> {
  switch (request.what) {
    case 'create':
      return store.create(request);
    case 'wake':
      return driver.wake(request.runId);
    case 'respond':
      return durable.respond(request.runId, request.command);
    case 'read':
      return store.read(request.runId, -1);
    default:
      throw new Error('The request is unknown.');
  }
}

process.on('message', (request: Request) => {
  void answer(request).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
if (mode === 'work') {
  await serve({ services: [driver.service], port: Number(port) });
  await durable.work();
}
process.send?.({ value: 'ready' });
