import type { ScriptedPart, ScriptedTurn } from '@cueline/core/testing';
import type { ReadCall } from './read-call.ts';

type Booking = { guest: string; email: string; room: string; arrival: string; nights: number };

/** Requests that have failed once, and succeed the second time. */
const broken = new Set<string>();

/** Looks up bookings and free rooms, and writes mails, as the last message asks. */
export function answerAtDesk({ said, results }: ReadCall): ScriptedTurn {
  const last = results.at(-1);
  // a model gets only text, which does not say explicitly whether a call has failed
  if (last !== undefined && !/\{"(guest|date|sent)"/.test(last.text)) return afterFailure(last.text);
  if (last?.toolName === 'sendMail') return afterMail(last.text);
  if (last?.toolName === 'listFreeRooms') return describeRooms(last.text);
  if (last?.toolName === 'findBooking') return describeBooking(said, JSON.parse(last.text) as Booking);

  if (/break/i.test(said) && !broken.has(said)) {
    broken.add(said);
    return ['I begin to answer, and then ', { error: new Error('The simulated line broke.') }];
  }
  if (/free|rooms/i.test(said)) {
    const date = /\d{4}-\d\d-\d\d/.exec(said)?.[0] ?? '2026-12-12';
    return ['I look at the calendar.', call('listFreeRooms', { date })];
  }
  if (broken.delete(said)) return 'The line has **held** this time: a failed turn can be tried again.';
  const guest = guestIn(said);
  if (guest !== undefined) return [`I look for ${guest}’s booking.`, call('findBooking', { guest })];
  return (
    'I am simulated, and know three things:\n\n- **bookings** of Ada, Grace and Alan\n- **free rooms** on a day\n' +
    '- **mails** to a guest, which I send once you agree'
  );
}

function describeBooking(said: string, { guest, email, room, arrival, nights }: Booking): ScriptedTurn {
  if (!/tell|write|mail|send/i.test(said)) {
    return `${guest} arrives on **${arrival}** and stays for ${nights} nights in the **${room}**.`;
  }
  return [
    'I write the mail. It leaves only if you agree.',
    call('sendMail', {
      to: email,
      subject: `Your ${room.toLowerCase()} on ${arrival}`,
      text: `Dear ${guest},\n\nyour ${room.toLowerCase()} will be ready for you at noon on ${arrival}.\n\nSee you soon!`,
    }),
  ];
}

function afterMail(result: string): ScriptedTurn {
  // if the mail was changed, a note of that comes with the result
  const { to, subject } = JSON.parse(/\{"sent".*?\}/.exec(result)?.[0] ?? '{}') as Record<string, string>;
  return `Sent to **${to}**, under “${subject}”.`;
}

function afterFailure(text: string): ScriptedTurn {
  const refusal = /did not approve it(?:: (.*?))?\.?$/.exec(text);
  if (refusal === null) return `That did not work. ${text.replace(/^Error: /, '')}`;
  const why = refusal[1] === undefined ? '' : ` You said: “${refusal[1]}”.`;
  return `I have **not** sent it.${why} Say how it should be, and I write it again.`;
}

function describeRooms(result: string): ScriptedTurn {
  const { date, rooms } = JSON.parse(result) as { date: string; rooms: string[] };
  return `On **${date}** there are:\n\n${rooms.map((room) => `- ${room}`).join('\n')}`;
}

function guestIn(said: string): string | undefined {
  const names = said.match(/\b[A-Z][a-z]+\b/g) ?? [];
  return names.find(
    (name) => !/^(When|Tell|Write|Send|Does|Is|The|Which|What|Who|Mail|Please|I)$/.test(name),
  );
}

function call(name: string, input: unknown): ScriptedPart {
  return { toolCall: { name, input }, delay: 250 };
}
