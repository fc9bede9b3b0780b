import { guestDesk, prepareArrival, readBooking } from '@cueline/react-example/prompts';

/** The prompts that the route offers, and that stored runs are continued with. */
export const prompts = [guestDesk, prepareArrival, readBooking];
