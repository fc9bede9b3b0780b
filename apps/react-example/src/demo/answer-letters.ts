import type { ScriptedTurn } from '@cueline/core/testing';
import type { ReadCall } from './read-call.ts';

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);
const numbers = 'one two three four five six seven eight nine'.split(' ');

/** Finds what a booking needs in a letter, and corrects its answer when it does not fit. */
export function answerLetters({ said, asked }: ReadCall): ScriptedTurn {
  const letter = asked.findLast((text) => text.startsWith('The letter:'))?.slice('The letter:'.length) ?? '';
  const isCorrection = said.includes('does not fit');
  const dates = [...letter.matchAll(/\b(\d{1,2}) ([A-Z][a-z]+)\b/g)]
    .filter(([, , month]) => months.includes(month!))
    .map(([, day, month]) => `2026-${twoDigits(months.indexOf(month!) + 1)}-${twoDigits(Number(day))}`);
  const people = /\b(\d|one|two|three|four|five|six|seven|eight|nine) (?:of us|guests|people|adults)/i.exec(
    letter,
  )?.[1];
  const guests = people === undefined ? 0 : Number(people) || numbers.indexOf(people.toLowerCase()) + 1;
  const tooMany = guests > 6 && isCorrection;
  const wish = /((?:quiet|late|high chair|vegetarian|dog|allerg)[^.\n]*)/i.exec(letter)?.[1] ?? '';
  return JSON.stringify({
    guest: letter.trim().split('\n').at(-1)?.trim() ?? '',
    email: /\S+@\S+\.\w+/.exec(letter)?.[0] ?? '',
    arrival: dates[0] ?? '',
    departure: dates[1] ?? '',
    guests: tooMany ? 6 : guests,
    room: /\b(garden|sea|attic)\b/i.exec(letter)?.[1]?.toLowerCase() ?? 'garden',
    wishes: tooMany
      ? `${guests} people in all: ask next door for the others${wish === '' ? '' : `; ${wish}`}`
      : wish,
  });
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
