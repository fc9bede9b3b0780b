import { createDurable, type DurableStore } from '@cueline/durable';
import { restateDriver } from '@cueline/durable/restate';
// #region restate
import { serve } from '@restatedev/restate-sdk';
import { writeMail } from '../durable.ts';

export async function workBehindRestate(store: DurableStore): Promise<void> {
  const driver = restateDriver({ ingress: 'http://localhost:8080' });
  const durable = createDurable({ prompts: [writeMail], store, driver });
  await serve({ services: [driver.service], port: 9080 });
  await durable.work();
}
// #endregion
