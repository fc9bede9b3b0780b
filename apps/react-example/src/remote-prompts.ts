import { remotePrompt } from '@cueline/core';
import type * as prompts from './prompts/index.ts';

// The names of the prompts, and for TypeScript their inputs and outputs. `import type` keeps their instructions and
// tools out
// of the page; if runs happen in the page, its executor loads the rest.
export const guestDesk = remotePrompt<typeof prompts.guestDesk>('guest-desk');
export const prepareArrival = remotePrompt<typeof prompts.prepareArrival>('prepare-arrival');
export const readBooking = remotePrompt<typeof prompts.readBooking>('read-booking');
