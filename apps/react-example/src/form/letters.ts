/** Letters to try: a simple one, one whose first reading does not fit the schema, and one without a booking. */
export const letters = {
  'A quiet room': `Dear hosts,

we would like to come from 12 December to 15 December, two of us. If the sea room is free, we would love it: something quiet.

You reach me at marta@example.com.

Marta Costa`,
  'Too many people': `Hello,

there will be eight people, from 3 November to 9 November, in the garden room and whatever else you have. One of us is vegetarian.

Write to tom@example.com.

Tom Lindqvist`,
  'No booking at all': `Hi,

thank you for the lovely weekend. The cake was the best.

Ines`,
};

export type LetterName = keyof typeof letters;
