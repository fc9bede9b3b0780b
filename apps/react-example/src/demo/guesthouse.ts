/** The data about the guests. In a real app it is a database behind an API. */
const bookings = [
  { guest: 'Ada', email: 'ada@example.com', room: 'Garden room', arrival: '2026-12-12', nights: 3 },
  { guest: 'Grace', email: 'grace@example.com', room: 'Sea room', arrival: '2026-12-14', nights: 2 },
  { guest: 'Alan', email: 'alan@example.com', room: 'Attic', arrival: '2026-12-20', nights: 5 },
];

/**
 * A guesthouse that exists only in the process that runs its tools. Every request to it leaves a mark in the
 * performance timeline.
 */
export const guesthouse = {
  /** How long it takes to answer, in milliseconds. */
  latencyMs: 700,
  async findBooking(guest: string) {
    await request('guesthouse:findBooking');
    const booking = bookings.find((one) => one.guest.toLowerCase() === guest.toLowerCase());
    if (booking === undefined) throw new Error(`There is no booking for ${guest}.`);
    return booking;
  },
  async listFreeRooms(date: string) {
    await request('guesthouse:listFreeRooms');
    return { date, rooms: ['Courtyard room', 'Tower room'] };
  },
  async sendMail(to: string, subject: string) {
    await request('guesthouse:sendMail');
    return { sent: true, to, subject };
  },
  async lookUp(subject: string) {
    await request('guesthouse:lookUp');
    return `Notes on “${subject}”: nothing is in the way.`;
  },
};

async function request(name: string): Promise<void> {
  performance.mark(name);
  await new Promise((resolve) => setTimeout(resolve, guesthouse.latencyMs));
}
