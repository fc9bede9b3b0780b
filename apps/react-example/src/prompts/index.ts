export { guestDesk } from './guest-desk.ts';
export { prepareArrival } from './prepare-arrival.ts';
export { readBooking } from './read-booking.ts';
