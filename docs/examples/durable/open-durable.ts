import { createDurable, createMemoryStore, type Durable } from '@cueline/durable';
import { writeMail } from '../durable.ts';

/** Opens the store of the application, and its prompts. */
export function openDurable(): Durable {
  return createDurable({ prompts: [writeMail], store: createMemoryStore() });
}
