import { createDurable } from '@cueline/durable';
import { createSqlStore } from '@cueline/durable/sql';
// #region disk
import { PGlite } from '@electric-sql/pglite';
import { writeMail } from '../durable.ts';

const durable = createDurable({
  prompts: [writeMail],
  store: createSqlStore(new PGlite('./runs')),
  options: { limits: { steps: 30 } },
});
await durable.work();
// #endregion
