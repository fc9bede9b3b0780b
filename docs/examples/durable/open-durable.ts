import { createDurable, createMemoryStore, type Durable, type DurableDriver } from '@cueline/durable';
import { writeMail } from '../durable.ts';

/** Opens the store of the application, and its prompts. What starts runs needs the driver, and a step does not. */
export function openDurable(driver?: DurableDriver): Durable {
  return createDurable({
    prompts: [writeMail],
    store: createMemoryStore(),
    ...(driver === undefined ? {} : { driver }),
  });
}
