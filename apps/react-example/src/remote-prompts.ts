import { remotePrompt } from '@cueline/core';
import type * as prompts from './prompts/index.ts';

// What the page knows of its prompts: names, and for TypeScript what they take and give. `import type` leaves nothing of
// their instructions and tools in the page; where runs happen in the page, its executor loads the rest.
export const guestDesk = remotePrompt<typeof prompts.guestDesk>('guest-desk');
export const prepareArrival = remotePrompt<typeof prompts.prepareArrival>('prepare-arrival');
export const readBooking = remotePrompt<typeof prompts.readBooking>('read-booking');
